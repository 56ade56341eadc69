import type { CoreEvent } from '@lateen/api-types';
import { fakeCluster } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { lastWarning } from './last-warning.ts';

const workload = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'c', namespace: 'velero' } };
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'c-1', namespace: 'velero', uid: 'u1' } };
let count = 0;
const event = (
  involvedObject: CoreEvent['involvedObject'],
  message: string,
  lastTimestamp: string,
  type = 'Warning',
) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { namespace: 'velero', name: `e${count++}` },
  ...{ type, reason: 'R', message, lastTimestamp, involvedObject },
});
const signal = AbortSignal.any([]);

describe('lastWarning', () => {
  it('is the latest warning of the workload, its ReplicaSets and its pods', async () => {
    const kube = fakeCluster({
      objects: [
        event({ kind: 'Deployment', name: 'c' }, 'old', '2030-01-01T00:00:01Z'),
        event({ kind: 'Pod', name: 'c-1', uid: 'u1' }, 'of the pod', '2030-01-01T00:00:03Z'),
        event({ kind: 'ReplicaSet', name: 'c-5d' }, 'newest', '2030-01-01T00:00:04Z'),
        event({ kind: 'Pod', name: 'c-1', uid: 'u1' }, 'no warning', '2030-01-01T00:00:05Z', 'Normal'),
        event({ kind: 'Pod', name: 'c-1', uid: 'earlier pod of that name' }, 'past', '2030-01-01T00:00:06Z'),
        event({ kind: 'ReplicaSet', name: 'other-5d' }, 'of another', '2030-01-01T00:00:07Z'),
      ],
    });
    expect(await lastWarning(kube, workload, [pod], signal)).toBe('ReplicaSet velero/c-5d: R: newest');
  });
  it('is absent without a warning', async () => {
    expect(await lastWarning(fakeCluster(), workload, [pod], signal)).toBeUndefined();
  });
});
