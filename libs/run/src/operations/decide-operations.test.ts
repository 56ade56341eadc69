import type { BackupOperation, OperationStatus } from '@lateen/backup-store';
import type { OperationProgress } from '@lateen/item-actions';
import { describe, expect, it } from 'vitest';
import { decideOperations, timedOutText } from './decide-operations.ts';

const now = '2030-01-01T00:10:00Z';
const operation = (operationID: string, status: Partial<OperationStatus> = {}): BackupOperation => ({
  spec: {
    backupName: 'b',
    backupUID: 'u',
    backupItemAction: 'velero.io/csi-pvc-backupper',
    resourceIdentifier: { Group: '', Resource: 'persistentvolumeclaims', Namespace: 'shop', Name: 'data' },
    operationID,
    postOperationItems: null,
  },
  status: { phase: 'New', created: '2030-01-01T00:00:00Z', ...status },
});
const decide = (operations: BackupOperation[], progress: Record<string, OperationProgress> = {}, ageMs = 0) =>
  decideOperations({
    operations,
    progress: new Map(Object.entries(progress)),
    ageMs: () => ageMs,
    timeoutMs: () => 1_000,
    now,
  });

describe('an operation', () => {
  it.each<[string, OperationProgress | undefined, number, Partial<OperationStatus>]>([
    ['without progress stays new', undefined, 0, { phase: 'New' }],
    [
      'that waits stays new',
      { completed: false, description: 'Accepted' },
      0,
      { phase: 'New', description: 'Accepted' },
    ],
    [
      'that runs is in progress',
      { completed: false, startedAt: 's', nCompleted: 1, nTotal: 9, units: 'Bytes', updatedAt: 'u' },
      0,
      { phase: 'InProgress', started: 's', nCompleted: 1, nTotal: 9, operationUnits: 'Bytes', updated: 'u' },
    ],
    ['that has ended is complete', { completed: true }, 0, { phase: 'Completed', updated: now }],
    [
      'that has failed has the reason',
      { completed: true, error: 'no space' },
      0,
      { phase: 'Failed', error: 'no space' },
    ],
    ['that takes too long has failed', { completed: false }, 1_000, { phase: 'Failed', error: timedOutText }],
    ['that has ended late has ended', { completed: true }, 5_000, { phase: 'Completed' }],
  ])('%s', (_, said, ageMs, expected) => {
    const { operations } = decide([operation('a')], said === undefined ? {} : { a: said }, ageMs);
    expect(operations[0]?.status).toMatchObject(expected);
  });

  it('that has ended is not checked again', () => {
    const ended = [operation('a', { phase: 'Failed', error: 'x' }), operation('b', { phase: 'Completed' })];
    expect(decide(ended, { a: { completed: true }, b: { completed: true, error: 'y' } }, 9_000)).toEqual({
      operations: ended,
      failed: [],
      timedOut: [],
      isOver: true,
    });
  });

  it('that ends is reported once, and others keep the result pending', () => {
    const seen = decide([operation('a'), operation('b')], { a: { completed: true, error: 'x' } });
    expect([seen.failed.map(({ spec }) => spec.operationID), seen.isOver]).toEqual([['a'], false]);
    const later = decide(seen.operations, { a: { completed: true, error: 'x' }, b: { completed: true } });
    expect([later.failed, later.isOver]).toEqual([[], true]);
  });
});
