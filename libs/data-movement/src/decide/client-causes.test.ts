import type { Pod } from '@lateen/api-types';
import { aPod } from '@lateen/testing';
import { expect, it } from 'vitest';
import { whyClientWaits } from './client-causes.ts';

const waiter = { name: 'restore-wait', image: 'x' };
const pod = (status: NonNullable<Pod['status']>, spec: Partial<Pod['spec']> = {}) =>
  aPod({ namespace: 'app', name: 'db', spec: { nodeName: 'node-1', initContainers: [waiter], ...spec }, status });
const waits = (state: object) => ({ initContainerStatuses: [{ name: 'restore-wait', state }] });

it.each<[string, Pod, string | undefined]>([
  ['runs its waiter: its node continues', pod(waits({ running: {} })), undefined],
  [
    'is not scheduled',
    aPod({
      namespace: 'app',
      name: 'db',
      status: { conditions: [{ type: 'PodScheduled', status: 'False', message: 'Insufficient cpu.' }] },
    }),
    'pod app/db is not scheduled: Insufficient cpu.',
  ],
  [
    'is not scheduled, without a reason',
    aPod({ namespace: 'app', name: 'db' }),
    'pod app/db is not scheduled: no scheduler has handled it',
  ],
  [
    'is on a node without a node-agent',
    pod({}, { nodeName: 'lost' }),
    'node lost, where pod app/db is, has no running node-agent. Check its pod of DaemonSet node-agent; the movement starts when that pod runs again.',
  ],
  [
    'has no waiting init container',
    pod({}, { initContainers: [] }),
    'pod app/db has no init container that waits for its volumes to be restored',
  ],
  [
    'has no image for its init container',
    pod(waits({ waiting: { reason: 'ErrImagePull', message: 'not found' } })),
    'restore-wait of pod app/db does not run: ErrImagePull: not found',
  ],
  [
    'has an init container that has given up',
    pod(waits({ terminated: { exitCode: 1 } })),
    expect.stringContaining('it has ended (exit code 1)'),
  ],
  [
    'is not started by its kubelet',
    pod({}),
    'the init container that waits for the volumes of pod app/db does not run: its kubelet has not started it',
  ],
])('a pod that %s', (_title, object, expected) => {
  const found = whyClientWaits(object, (node) => (node === 'lost' ? 1 : 0));
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toEqual(expected);
});
