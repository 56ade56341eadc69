import type { Pod } from '@lateen/api-types';
import { aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type ClientState, clientPod, clientSeen } from './client-seen.ts';

const named = { namespace: 'app', name: 'db', uid: 'u' };
const pod = (status: NonNullable<Pod['status']>, metadata: Partial<Pod['metadata']> = {}): Pod =>
  aPod({ metadata: { ...named, ...metadata }, status });
const initContainer = (name: string, state: object) => ({ initContainerStatuses: [{ name, state }] });

const rows: [string, Pod | undefined, ClientState][] = [
  ['is not on this node', undefined, 'absent'],
  ['is another one of the same name', pod({ phase: 'Running' }, { uid: 'v' }), 'absent'],
  ['runs', pod({ phase: 'Running' }), 'there'],
  ['has been begun', pod({ phase: 'Pending' }), 'there'],
  ['has ended well', pod({ phase: 'Succeeded' }), 'ended'],
  ['has ended badly', pod({ phase: 'Failed' }), 'ended'],
  ['is being deleted', pod({ phase: 'Running' }, { deletionTimestamp: '2030-01-01T00:00:00Z' }), 'ended'],
  ['waits', pod(initContainer('restore-wait', { running: {} })), 'waits'],
  ['waits as pods of older versions do', pod(initContainer('restic-wait', { running: {} })), 'waits'],
  ['does not wait yet', pod(initContainer('restore-wait', { waiting: { reason: 'PodInitializing' } })), 'there'],
  ['has waited', pod(initContainer('restore-wait', { terminated: { exitCode: 0 } })), 'begun'],
  ['has to wait again', pod(initContainer('restore-wait', { terminated: { exitCode: 137 } })), 'there'],
  [
    'was told to wait no longer',
    pod(initContainer('restore-wait', { terminated: { exitCode: 0 } }), {
      annotations: { 'lateen.dev/start-without-data': 'true', note: 'x' },
    }),
    'begun-without',
  ],
  [
    'is told to wait no longer, and waits yet',
    pod(initContainer('restore-wait', { running: {} }), { annotations: { 'lateen.dev/start-without-data': 'true' } }),
    'waits',
  ],
  ['runs an init container of its own', pod(initContainer('migrate', { running: {} })), 'there'],
];

describe('a client pod that', () => {
  it.each(rows)('%s', (_title, object, state) => {
    expect(clientSeen(object, named)).toBe(state);
  });

  it('is reduced to the needed fields in a cache, with the same result', () => {
    for (const [, object, state] of rows.filter((row) => row[1] !== undefined))
      expect(clientSeen(object && clientPod(object), named)).toBe(state);
    const large = pod({ phase: 'Running', ...initContainer('migrate', {}) }, { annotations: { note: 'x'.repeat(9) } });
    expect(clientPod(large)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: named,
      spec: { containers: [] },
      status: { phase: 'Running', initContainerStatuses: [] },
    });
  });
});
