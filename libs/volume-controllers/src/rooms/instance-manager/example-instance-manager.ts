import type { Pod } from '@lateen/api-types';
import type { Instance } from '@lateen/block-engine';
import { type InstanceManager, instanceManagerName, longhornNamespace } from '@lateen/storage-types';
import { defaultSettings } from '@lateen/volume-decisions';
import type { InstanceManagerSeen } from './decide-instance-manager.ts';
import { instanceManagerPod } from './instance-manager-pod.ts';
import { type PodSettings, podSettingsOf } from './pod-settings.ts';

/** Objects for tests, which state only the relevant fields. */
export const anInstanceManager = (status: InstanceManager['status'] = {}, image = 'image:1'): InstanceManager => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'InstanceManager',
  metadata: { name: instanceManagerName('n1', image), namespace: longhornNamespace, uid: 'uid-1' },
  spec: { image, nodeID: 'n1', type: 'aio', dataEngine: 'v1' },
  status,
});

export const somePodSettings = (parts: Partial<PodSettings> = {}): PodSettings => ({
  ...podSettingsOf(defaultSettings, undefined, undefined),
  ...parts,
});

type PodState = 'pending' | 'pulling' | 'running' | 'ready' | 'failed';

/** The pod of an instance manager in one state. */
export function aManagerPod(state: PodState, parts: Partial<Pod['metadata']> = {}): Pod {
  const pod = instanceManagerPod(anInstanceManager(), somePodSettings());
  const waiting = { reason: 'ErrImagePull', message: 'no such image' };
  const container = state === 'pulling' ? { waiting } : state === 'pending' ? {} : { running: {} };
  const runs = state === 'running' || state === 'ready';
  return {
    ...pod,
    metadata: { ...pod.metadata, uid: 'pod-1', creationTimestamp: '2026-03-01T00:00:00Z', ...parts },
    status:
      state === 'failed'
        ? { phase: 'Failed', reason: 'Evicted', message: 'the node was low on memory' }
        : {
            phase: runs ? 'Running' : 'Pending',
            ...(runs ? { podIP: '10.0.0.1' } : {}),
            conditions: [{ type: 'Ready', status: state === 'ready' ? 'True' : 'False' }],
            containerStatuses: [{ name: 'instance-manager', restartCount: 0, state: container }],
          },
  };
}

export const anInstance = (parts: Partial<Instance> = {}): Instance => ({
  kind: 'replica',
  name: 'v-r-1',
  volume: 'v',
  generation: 1,
  state: 'running',
  uuid: 'uuid-1',
  port: 10_000,
  ...parts,
});

export const seenOf = (parts: Partial<InstanceManagerSeen> = {}): InstanceManagerSeen => {
  const manager = parts.manager ?? anInstanceManager({ currentState: 'running', ip: '10.0.0.1' });
  return {
    manager,
    pod: aManagerPod('ready'),
    budget: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'b' }, spec: {} },
    wantedPod: instanceManagerPod(manager, somePodSettings()),
    defaultImage: manager.spec.image ?? '',
    nodeIsThere: true,
    nodeIsDown: false,
    host: { answers: true, instances: [] },
    info: undefined,
    drain: { protect: true, why: '' },
    ...parts,
  };
};
