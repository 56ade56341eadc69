import type { DataDownload, PodVolumeRestore } from '@lateen/api-types';
import { dataDownloadType, labels, podVolumeRestoreType } from '@lateen/api-types';
import { type BackupJourneyOptions, type BackupJourneyPorts, backupName, demoLabel } from './backup-journey-options.ts';
import { recordMovements } from './cluster/record-movement.ts';
import { waitForPod } from './cluster/workload.ts';
import type { MovementRecord } from './report/movement-record.ts';
import { waitForDatabase } from './shop/create-shop.ts';
import { waitForWarehouse } from './warehouse/warehouse.ts';

/** One restore: under the original name, or beside the original under another. */
export interface BroughtBack {
  title: string;
  /** Name of the Restore. */
  name: string;
  /** Namespace of the restored shop. */
  namespace: string;
}

/** Restores the second backup and resolves when the shop's database and its pod with files are running. */
export async function bringBack(
  { title, name, namespace }: BroughtBack,
  options: BackupJourneyOptions,
  ports: BackupJourneyPorts,
  signal: AbortSignal,
): Promise<MovementRecord[]> {
  const { kube, clock } = ports;
  const elsewhere =
    namespace === options.namespace ? [] : ['--namespace-mappings', `${options.namespace}:${namespace}`];
  const what = ['--from-backup', backupName(options, 2), '--write-sparse-files', '--labels', demoLabel(options)];
  const watched = {
    ...ports,
    namespace: options.veleroNamespace,
    labelSelector: `${labels.restoreName}=${name}`,
  };
  const restore = () => ports.lateen(['restore', 'create', name, ...what, ...elsewhere, '--wait', '--exit-code']);
  let podVolumes: MovementRecord[] = [];
  const downloads = await recordMovements<DataDownload>(
    { ...watched, type: dataDownloadType, titleOf: ({ spec }) => `${title}, ${spec.targetVolume.pvc}` },
    async () => {
      const titleOf = ({ spec }: PodVolumeRestore) => `${title}, ${spec.pod.name}:${spec.volume}`;
      podVolumes = await recordMovements({ ...watched, type: podVolumeRestoreType, titleOf }, restore, signal);
    },
    signal,
  );
  const kubectl = ports.kubectl(namespace);
  await Promise.all([waitForDatabase(kubectl), waitForPod(kube, namespace, clock, signal), waitForWarehouse(kubectl)]);
  return [...downloads, ...podVolumes];
}
