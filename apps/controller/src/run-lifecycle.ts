import type { Backup, BackupStorageLocation, Restore } from '@lateen/api-types';
import type { DeleteItemAction } from '@lateen/item-actions';
import type { KubeApi } from '@lateen/kube';
import type { ControllerBase, Informer } from '@lateen/kube-runtime';
import { settingsReader } from '@lateen/maintenance';
import type { SnapshotterPorts } from '@lateen/native-snapshots';
import { runRetentionControllers } from '@lateen/retention';
import { runScheduleController } from '@lateen/schedule';
import type { ReachPorts } from '@lateen/storage-location';
import { runSyncController } from '@lateen/sync';
import type { ControllerConfig } from './config.ts';
import type { LifecycleObservers } from './lifecycle-metrics.ts';

/** `backups`: indexed by `backupIndexers`; the creator of the informers runs them. */
type Ports = ControllerBase &
  ReachPorts &
  SnapshotterPorts & {
    kube: KubeApi;
    backups: Informer<Backup>;
    restores: Informer<Restore>;
    locations: Informer<BackupStorageLocation>;
    deleteActions: readonly DeleteItemAction[];
  };

/** Runs schedules, the sync of buckets and cluster, garbage collection and deletion, until `signal` aborts. */
export async function runLifecycle(
  config: ControllerConfig,
  ports: Ports,
  observers: Partial<LifecycleObservers>,
  signal: AbortSignal,
): Promise<void> {
  const { kube, clock, log } = ports;
  const { namespace, identity, lifecycle, maintenanceConfigMap: configMapName } = config;
  const options = { ...ports, ...lifecycle, ...observers, namespace, identity };
  const settingsOf = settingsReader({ kube, namespace, configMapName, clock, log });
  await Promise.all([
    runScheduleController(options, signal),
    runSyncController(options, signal),
    runRetentionControllers({ ...options, settingsOf }, signal),
  ]);
}
