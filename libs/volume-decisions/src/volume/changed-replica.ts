import { type Replica, type ReplicaSpec, storageAnnotations, storageLabels } from '@lateen/storage-types';
import type { ReplicaChange } from './volume-effect.ts';

/** The Replica with the change. Its node and disk are set once and never changed. */
export function changedReplica(replica: Replica, change: ReplicaChange): Replica {
  const { spec } = replica;
  switch (change.do) {
    case 'place-replica':
      return (spec.nodeID ?? '') === '' ? placed(replica, change) : replica;
    case 'run-replica':
      return changed(replica, { desireState: 'running' });
    case 'stop-replica':
      return changed(replica, { desireState: 'stopped' });
    case 'fail-replica':
      return because(changed(replica, { failedAt: change.failedAt, lastFailedAt: change.failedAt }), change.cause);
    case 'mark-healthy':
      return changed(replica, {
        failedAt: '',
        healthyAt: change.at,
        lastHealthyAt: change.at,
        rebuildRetryCount: 0,
      });
    case 'clear-failure':
      return changed(replica, { failedAt: '', healthyAt: spec.healthyAt || change.at });
    case 'request-rebuild':
      return changed(replica, { desireState: 'running', healthyAt: '' });
    case 'rebuild-failed': {
      const rebuildRetryCount = (spec.rebuildRetryCount ?? 0) + 1;
      const { failedAt, cause } = change;
      return because(
        changed(replica, { failedAt, lastFailedAt: failedAt, rebuildRetryCount, desireState: 'stopped' }),
        cause,
      );
    }
    case 'grow-replica':
      return changed(replica, { volumeSize: String(change.sizeBytes) });
  }
}

/** The Replica with its promise and, if its data lags since a kill, the generation of the kill. */
export function promisedReplica(
  replica: Replica,
  { generation, killedIn }: { readonly generation: number; readonly killedIn?: number },
): Replica {
  const { [storageAnnotations.killedIn]: _, ...others } = replica.metadata.annotations ?? {};
  const annotations = {
    ...others,
    [storageAnnotations.promised]: String(generation),
    ...(killedIn === undefined ? {} : { [storageAnnotations.killedIn]: String(killedIn) }),
  };
  return { ...replica, metadata: { ...replica.metadata, annotations } };
}

const changed = (replica: Replica, spec: Partial<ReplicaSpec>): Replica => ({
  ...replica,
  spec: { ...replica.spec, ...spec },
});

function because(replica: Replica, cause: string): Replica {
  const annotations = { ...replica.metadata.annotations, [storageAnnotations.failureCause]: cause };
  return { ...replica, metadata: { ...replica.metadata, annotations } };
}

function placed(replica: Replica, { place, hardNode }: ReplicaChange & { do: 'place-replica' }): Replica {
  const labels = { ...replica.metadata.labels, [storageLabels.diskUuid]: place.diskID };
  const affinity = hardNode === undefined ? {} : { hardNodeAffinity: hardNode };
  const { node: nodeID, diskID, diskPath } = place;
  const at = changed(replica, { nodeID, diskID, diskPath, ...affinity });
  return { ...at, metadata: { ...at.metadata, labels } };
}
