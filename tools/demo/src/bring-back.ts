import { dataDownloadType } from '@lateen/api-types';
import type { BackupJourneyOptions, BackupJourneyPorts } from './backup-journey-options.ts';
import { recordMovement } from './cluster/record-movement.ts';
import { createWorkload, pvcName, waitForPod } from './cluster/workload.ts';
import { withRecording } from './journey.ts';
import type { MovementRecord } from './report/movement-record.ts';
import { createEmptyShop, databaseClaim, waitForDatabase } from './shop/create-shop.ts';

/** Both volumes of a backup into the other namespace. The pods first: the class of the volumes waits for who uses them. */
export async function bringBack(
  uploads: readonly MovementRecord[],
  options: BackupJourneyOptions,
  ports: BackupJourneyPorts,
  signal: AbortSignal,
): Promise<MovementRecord[]> {
  const { kube, clock } = ports;
  const namespace = options.restoredNamespace;
  await createWorkload(kube, { ...options, namespace, withPvc: false }, signal);
  await createEmptyShop(ports.kubectl(namespace), options);
  const records = await Promise.all([
    download(pvcName, options.volumeSize, uploads, options, ports, signal),
    download(databaseClaim, options.databaseVolumeSize, uploads, options, ports, signal),
  ]);
  await Promise.all([waitForDatabase(ports.kubectl(namespace)), waitForPod(kube, namespace, clock, signal)]);
  return records;
}

async function download(
  claim: string,
  size: string,
  uploads: readonly MovementRecord[],
  options: BackupJourneyOptions,
  { kube, clock, lateen }: BackupJourneyPorts,
  signal: AbortSignal,
): Promise<MovementRecord> {
  const from = uploads.find(({ title }) => title.endsWith(`, ${claim}`))?.name;
  if (from === undefined) throw new Error(`the backup has no DataUpload of claim ${claim}`);
  const name = downloadName(options, claim);
  const watched = new AbortController();
  const recording = recordMovement(
    `restore, ${claim}`,
    { kube, clock, type: dataDownloadType, key: { namespace: options.veleroNamespace, name } },
    AbortSignal.any([signal, watched.signal]),
  );
  const what = ['--from', from, '--size', size, '--storage-class', options.storageClass];
  const target = `${options.restoredNamespace}/${claim}`;
  return withRecording(recording, watched, () => lateen(['volume', 'download', target, '--name', name, ...what]));
}

/** Of the DataDownload of a claim. */
export const downloadName = ({ restoredNamespace }: BackupJourneyOptions, claim: string) =>
  `${restoredNamespace}-${claim}`;
