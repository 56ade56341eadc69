import { backupStorageLocationType, backupType } from '@lateen/api-types';
import { builtInActions } from '@lateen/item-actions';
import type { KubeApi } from '@lateen/kube';
import { type ControllerBase, dropManagedFields, informer } from '@lateen/kube-runtime';
import { settingsReader } from '@lateen/maintenance';
import { runRetentionControllers } from '@lateen/retention';
import { backupIndexers, runScheduleController } from '@lateen/schedule';
import type { ReachPorts } from '@lateen/storage-location';
import { runSyncController } from '@lateen/sync';
import type { ControllerConfig } from './config.ts';
import type { LifecycleObservers } from './lifecycle-metrics.ts';

type Ports = ControllerBase & ReachPorts & { kube: KubeApi };

/**
 * How backups come by themselves, are found and go: schedules, the match of buckets and cluster, garbage collection and deletion. They
 * look at the same Backups, which are held once. Until `signal` aborts.
 */
export async function runLifecycle(
  config: ControllerConfig,
  ports: Ports,
  observers: Partial<LifecycleObservers>,
  signal: AbortSignal,
): Promise<void> {
  const { kube, clock, random, log } = ports;
  const { namespace, identity, lifecycle, maintenanceConfigMap: configMapName } = config;
  const informed = { api: kube, namespace, clock, random, log };
  const backups = informer({
    ...informed,
    type: backupType,
    indexers: backupIndexers,
    transform: (backup) => {
      const kept = dropManagedFields(backup);
      // The definition lets objects without a spec through; one of those must not stop the work on the others.
      kept.spec ??= {};
      return kept;
    },
  });
  const locations = informer({
    ...informed,
    type: backupStorageLocationType,
    transform: (location) => {
      const kept = dropManagedFields(location);
      kept.spec ??= { provider: '', objectStorage: { bucket: '' } };
      return kept;
    },
  });
  const options = { ...ports, ...lifecycle, ...observers, namespace, identity, backups, locations };
  const settingsOf = settingsReader({ kube, namespace, configMapName, clock, log });
  await Promise.all([
    backups.run(signal),
    locations.run(signal),
    runScheduleController(options, signal),
    runSyncController(options, signal),
    runRetentionControllers({ ...options, deleteActions: builtInActions({ csi: true }).delete, settingsOf }, signal),
  ]);
}
