import type {
  Engine,
  Replica,
  ReplicaMode,
  ReplicaSpec,
  Volume,
  VolumeSpec,
  VolumeStatus,
} from '@lateen/storage-types';

const apiVersion = 'longhorn.io/v1beta2';

/** Objects of one volume for tests, which state only the relevant fields. */
export const aVolumeObject = (spec: Partial<VolumeSpec> = {}, status: VolumeStatus = {}): Volume => ({
  apiVersion,
  kind: 'Volume',
  metadata: { name: 'vol', namespace: 'longhorn-system' },
  spec: { image: 'image', numberOfReplicas: 3, ...spec },
  status,
});

/** A running engine with these modes; `whole` are the names in its `replicaAddressMap`. */
export const anEngine = (modes: Record<string, ReplicaMode>, whole: readonly string[] = []): Engine => ({
  apiVersion,
  kind: 'Engine',
  metadata: { name: 'vol-e-0', namespace: 'longhorn-system' },
  spec: { volumeName: 'vol', replicaAddressMap: Object.fromEntries(whole.map((name) => [name, '10.0.0.1:10000'])) },
  status: { currentState: 'running', replicaModeMap: modes },
});

/** A healthy replica; with an empty `nodeID` it is not scheduled. */
export const aReplica = (
  name: string,
  nodeID: string,
  spec: Partial<ReplicaSpec> = {},
  metadata: Partial<Replica['metadata']> = {},
): Replica => ({
  apiVersion,
  kind: 'Replica',
  metadata: { name, namespace: 'longhorn-system', ...metadata },
  spec: { volumeName: 'vol', nodeID, diskID: `uuid-${nodeID}-a`, healthyAt: '2026-02-28T22:00:00Z', ...spec },
});
