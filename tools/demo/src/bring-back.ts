import type { DataDownload } from '@lateen/api-types';
import { dataDownloadType, labels } from '@lateen/api-types';
import { type BackupJourneyOptions, type BackupJourneyPorts, backupName, demoLabel } from './backup-journey-options.ts';
import { recordMovements } from './cluster/record-movement.ts';
import { waitForPod } from './cluster/workload.ts';
import type { MovementRecord } from './report/movement-record.ts';
import { waitForDatabase } from './shop/create-shop.ts';

/** One restore: under its own name, or side by side with what is there. */
export interface BroughtBack {
  title: string;
  /** Of the Restore. */
  name: string;
  /** Where the shop is afterwards. */
  namespace: string;
}

/** Restores the second backup and resolves when the shop's database and its pod with files run. */
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
  const records = await recordMovements<DataDownload>(
    {
      ...ports,
      type: dataDownloadType,
      namespace: options.veleroNamespace,
      labelSelector: `${labels.restoreName}=${name}`,
      titleOf: ({ spec }) => `${title}, ${spec.targetVolume.pvc}`,
    },
    () => ports.lateen(['restore', 'create', name, ...what, ...elsewhere, '--wait', '--exit-code']),
    signal,
  );
  await Promise.all([waitForDatabase(ports.kubectl(namespace)), waitForPod(kube, namespace, clock, signal)]);
  return records;
}
