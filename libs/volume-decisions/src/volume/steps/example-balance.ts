import {
  type Engine,
  type EngineStatus,
  type Replica,
  storageAnnotations,
  type Volume,
  type VolumeSpec,
} from '@lateen/storage-types';
import { aCluster, aNode } from '../../scheduler/example-cluster.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { anEngine, aReplica, aVolumeObject } from '../example-volume.ts';
import type { VolumeSeen } from '../volume-seen.ts';

export const nowMs = Date.parse('2026-03-01T00:00:00Z');
const { settings } = readSettings([
  {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Setting',
    metadata: { name: 'replica-soft-anti-affinity' },
    value: 'true',
  },
]);
/** A replica that serves the present generation. */
export const replica = (name: string, node: string, spec = {}, annotations: Record<string, string> = {}): Replica =>
  aReplica(
    name,
    node,
    { image: 'image', desireState: 'running', volumeSize: '100', ...spec },
    { annotations: { [storageAnnotations.promised]: '1', ...annotations } },
  );
export const replacing = { [storageAnnotations.replaces]: 'a' };
/** A serving engine with these replicas. */
export const engineOf = (modes: Record<string, 'RW' | 'WO' | 'ERR'>, status: EngineStatus = {}): Engine => {
  const engine = anEngine(modes, Object.keys(modes));
  return {
    ...engine,
    metadata: { ...engine.metadata, annotations: { [storageAnnotations.generation]: '1' } },
    spec: { ...engine.spec, image: 'image', nodeID: 'n1', desireState: 'running', volumeSize: '100' },
    status: { ...engine.status, ownerID: 'n1', started: true, currentSize: '100', ...status },
  };
};
/** A volume that is attached to n1, healthy, and to be balanced. */
export const volumeOf = (spec: Partial<VolumeSpec>): Volume => {
  const volume = aVolumeObject(
    { numberOfReplicas: 2, size: '100', nodeID: 'n1', replicaAutoBalance: 'best-effort', ...spec },
    { state: 'attached', robustness: 'healthy', currentNodeID: 'n1' },
  );
  return { ...volume, metadata: { ...volume.metadata, uid: 'u' } };
};
/** Two replicas on n1, and n2 is free. */
export const crowded = (parts: Partial<VolumeSeen> = {}, spec: Partial<VolumeSpec> = {}): VolumeSeen => ({
  volume: volumeOf(spec),
  engine: engineOf({ a: 'RW', b: 'RW' }),
  replicas: [replica('a', 'n1'), replica('b', 'n1')],
  snapshots: [],
  hasAttachment: true,
  cluster: aCluster(aNode('n1'), aNode('n2')),
  downNodes: new Set(),
  settings,
  rebuildsOn: new Map(),
  start: { sinceGenerationMs: 0 },
  uuids: ['00000001-0000-4000-8000-000000000000'],
  ...parts,
});
