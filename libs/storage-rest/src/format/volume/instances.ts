import type { Engine, Replica, ReplicaMode } from '@lateen/storage-types';
import type { JsonFields } from '../../envelope/resource.ts';
import { nameOf } from '../given.ts';
import { activeEngine } from './volume-seen.ts';

const instanceFields = (object: Engine | Replica): JsonFields => ({
  name: nameOf(object),
  hostId: object.spec.nodeID ?? '',
  address: object.status?.storageIP || object.status?.ip || '',
  running: object.status?.currentState === 'running',
  image: object.spec.image ?? '',
  currentImage: object.status?.currentImage ?? '',
  instanceManagerName: object.status?.instanceManagerName ?? '',
});

/** Part of a volume: one of its engines. A size that is not a number counts for nothing. */
export const controllerFields = (engine: Engine): JsonFields => ({
  ...instanceFields(engine),
  size: engine.status?.currentSize ?? '0',
  actualSize: actualSize(engine),
  endpoint: engine.status?.endpoint ?? '',
  lastRestoredBackup: engine.status?.lastRestoredBackup ?? '',
  requestedBackupRestore: engine.spec.requestedBackupRestore ?? '',
  isExpanding: engine.status?.isExpanding ?? false,
  lastExpansionError: engine.status?.lastExpansionError ?? '',
  lastExpansionFailedAt: engine.status?.lastExpansionFailedAt ?? '',
  unmapMarkSnapChainRemovedEnabled: engine.status?.unmapMarkSnapChainRemovedEnabled ?? false,
});

/** Bytes of all snapshots, the head among them. */
function actualSize({ status }: Engine): string {
  const sizes = Object.values(status?.snapshots ?? {}).map(({ size = '' }) => (/^\d+$/.test(size) ? BigInt(size) : 0n));
  return sizes.reduce((sum, size) => sum + size, 0n).toString();
}

/** Part of a volume: one of its replicas, with the mode that the engine has it in. */
export function replicaFields(replica: Replica, engines: readonly Engine[]): JsonFields {
  const { spec } = replica;
  const mode: ReplicaMode | undefined = activeEngine(engines)?.status?.replicaModeMap?.[nameOf(replica)];
  const folder = spec.dataDirectoryName ?? '';
  return {
    ...instanceFields(replica),
    diskID: spec.diskID ?? '',
    diskPath: spec.diskPath ?? '',
    dataPath: folder === '' ? '' : `${(spec.diskPath ?? '').replace(/\/+$/, '')}/replicas/${folder}`,
    mode: mode ?? '',
    failedAt: spec.failedAt ?? '',
    dataEngine: spec.dataEngine ?? 'v1',
  };
}
