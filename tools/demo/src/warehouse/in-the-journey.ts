import { type BackupJourneyOptions, type BackupJourneyPorts, backupName, disksOf } from '../backup-journey-options.ts';
import { createDisks } from './disks.ts';
import { type VolumeWay, volumeWays } from './volume-ways.ts';
import { createWarehouse, warehousePod } from './warehouse.ts';

export async function openWarehouse(options: BackupJourneyOptions, ports: BackupJourneyPorts): Promise<void> {
  const { namespace, image, storageClass } = options;
  const disks = disksOf(options);
  await createDisks(ports.kubectl('default'), disks);
  const classes = { image, storageClass, diskClass: disks.className };
  await createWarehouse(ports.kubectl(namespace), ports.warehouse(namespace), classes);
}

export async function waysOfWarehouse(
  options: BackupJourneyOptions,
  { kube }: BackupJourneyPorts,
  signal: AbortSignal,
): Promise<VolumeWay[]> {
  const { namespace, veleroNamespace } = options;
  const pod = { namespace, name: warehousePod };
  return await volumeWays(kube, { pod, backup: backupName(options, 1), veleroNamespace }, signal);
}

/** Runs with an installation that mounts no hostPath volumes, and restores the installation afterwards. */
export async function uploadByClaim(
  options: BackupJourneyOptions,
  { lateen, kubectl }: BackupJourneyPorts,
): Promise<void> {
  const name = `${options.namespace}-by-claim`;
  await lateen(['install', '--node-agent-disable-host-path', '--wait']);
  try {
    await lateen(['volume', 'upload', `${options.namespace}/${warehousePod}:disk`, '--name', name]);
    await lateen(['volume', 'describe', `pvb/${name}`]);
  } finally {
    await lateen(['install', '--node-agent-disable-host-path=false', '--wait']);
    await kubectl(options.veleroNamespace)(['delete', '--ignore-not-found', `podvolumebackup/${name}`]);
  }
}
