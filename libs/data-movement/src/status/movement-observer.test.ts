import type { DataUpload } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { ownedByAnyNode } from '../kinds/ownership.ts';
import { countPhases, hasJustEnded, type MovementChange, tellObserver } from './movement-observer.ts';

const kind = { words: 'data upload', owner: ownedByAnyNode<DataUpload>() };

function upload(status: DataUpload['status'], annotations: Record<string, string> = {}): DataUpload {
  return {
    apiVersion: 'velero.io/v2alpha1',
    kind: 'DataUpload',
    metadata: { name: 'u', uid: 'uid-1', annotations, creationTimestamp: '2030-01-01T00:00:00Z' },
    spec: {
      snapshotType: 'CSI',
      sourcePVC: 'data',
      sourceNamespace: 'shop',
      backupStorageLocation: 'default',
      operationTimeout: '10m',
    },
    ...(status === undefined ? {} : { status }),
  };
}

function told(...changes: Parameters<typeof tellObserver<DataUpload>>[2][]): MovementChange[] {
  const seen: MovementChange[] = [];
  const observer = { changed: (change: MovementChange) => seen.push(change), readings: () => {} };
  for (const change of changes) tellObserver(observer, kind, change, { node: 'a', nowMs: 5 });
  return seen;
}

describe('the reports to an observer', () => {
  it('contain the state before and after, with the times of the API', () => {
    const previous = upload({ phase: 'Prepared', acceptedByNode: 'b', node: 'a' });
    const status = {
      phase: 'Failed',
      node: 'a',
      progress: { bytesDone: 7 },
      completionTimestamp: '2030-01-01T00:00:09Z',
    };
    const object = upload(status as DataUpload['status'], { 'lateen.dev/attempts': '3' });
    const [change] = told({ type: 'updated', object, previous });
    const createdMs = Date.parse('2030-01-01T00:00:00Z');
    expect(change).toMatchObject({
      uid: 'uid-1',
      previous: { phase: 'Prepared', bytesDone: 0, attempts: 1 },
      present: { phase: 'Failed', bytesDone: 7, attempts: 3 },
      createdMs,
      completedMs: createdMs + 9_000,
      startedMs: undefined,
    });
    expect(change !== undefined && hasJustEnded(change)).toBe(true);
  });

  it('exclude movements of other nodes, of no node, or accepted here and moved there', () => {
    const foreign = [upload(undefined), upload({ acceptedByNode: 'b' }), upload({ acceptedByNode: 'a', node: 'b' })];
    expect(told(...foreign.map((object) => ({ type: 'added', object }) as const))).toEqual([]);
    expect(countPhases(kind, foreign, 'a')).toEqual([]);
    expect(countPhases(kind, foreign, 'b')).toHaveLength(1);
  });

  it.each(['', 'many', '0', '-1'])('count the attempt "%s" as the first', (text) => {
    const object = upload({ acceptedByNode: 'a' }, { 'lateen.dev/attempts': text });
    expect(told({ type: 'added', object })[0]?.present.attempts).toBe(1);
  });

  it('report no end for a movement that was first seen ended, or changes after its end', () => {
    const ended = upload({ phase: 'Completed', node: 'a' });
    const changes = told({ type: 'added', object: ended }, { type: 'updated', object: ended, previous: ended });
    expect(changes.map(hasJustEnded)).toEqual([false, false]);
  });
});
