import { type Backup, type DataUpload, dataUploadType, getValidName, labels } from '@lateen/api-types';
import type { BackupStore } from '@lateen/backup-store';
import { describeError } from '@lateen/errors';
import { discardBackupSnapshots } from '@lateen/item-actions';
import type { Clock, Logger } from '@lateen/kernel';
import { isNotFound, type KubeApi, keyOf, listAll } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';

export interface TakeBackPorts {
  kube: KubeApi;
  clock: Clock;
  /** Namespace of the installation. */
  namespace: string;
}

export interface TakeBackOptions {
  /** Where the files of the backup are; absent when they are none of ours, or cannot be reached. */
  files?: BackupStore | undefined;
  log: Logger;
}

/** Movements that are asked to end at the same time, and how long their end is waited for. */
const limits = { atOnce: 16, endMs: 600_000 } as const;

/**
 * Takes away what was made for a backup that is not to be: its movements, its snapshots, its files, those that make it look whole
 * first. Goes on past what fails and returns why, for people; safe to repeat.
 */
export async function takeBack(
  ports: TakeBackPorts,
  backup: Backup,
  { files, log }: TakeBackOptions,
  signal: AbortSignal,
): Promise<string[]> {
  const problems: string[] = [];
  const attempt = async (what: string, act: () => Promise<void>) => {
    try {
      await act();
    } catch (error) {
      signal.throwIfAborted();
      problems.push(`${what}: ${describeError(error)}`);
      log.warn({ err: error, what }, 'something of a backup could not be taken back');
    }
  };
  await attempt('its data uploads', () => endUploads(ports, backup, signal));
  await attempt('its snapshots', () => discardBackupSnapshots({ kube: ports.kube, backup }, signal));
  if (files !== undefined) await attempt('its files', () => files.deleteBackup(backup.metadata.name ?? '', { signal }));
  return problems;
}

/**
 * Deleting one asks its node-agent to end it and to take away what it has made; it is gone when that is done. One that has stored a
 * snapshot stays with the Backup: it is what the deletion of the Backup knows the snapshot by, to let the repository forget it.
 */
async function endUploads(ports: TakeBackPorts, backup: Backup, signal: AbortSignal): Promise<void> {
  const { kube, clock, namespace } = ports;
  const labelSelector = `${labels.backupUid}=${getValidName(backup.metadata.uid ?? '')}`;
  const all = await listAll(kube, dataUploadType, { namespace, labelSelector, signal });
  const items = all.items.filter(({ status }) => !status?.snapshotID);
  const either = AbortSignal.any([signal, clock.deadline(limits.endMs)]);
  for (let at = 0; at < items.length; at += limits.atOnce)
    await Promise.all(items.slice(at, at + limits.atOnce).map((upload) => remove(kube, upload, signal)));
  for (let at = 0; at < items.length; at += limits.atOnce)
    await Promise.all(items.slice(at, at + limits.atOnce).map((upload) => untilGone(ports, upload, either)));
}

async function remove(kube: KubeApi, upload: DataUpload, signal: AbortSignal): Promise<void> {
  const { uid } = upload.metadata;
  const options = { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) };
  await kube.delete(dataUploadType, keyOf(upload), options).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

async function untilGone({ kube, clock }: TakeBackPorts, upload: DataUpload, signal: AbortSignal): Promise<void> {
  const isGone = (now: DataUpload | undefined) => (now?.metadata.uid === upload.metadata.uid ? undefined : true);
  await waitForObject({ api: kube, type: dataUploadType, key: keyOf(upload), until: isGone, clock, signal });
}
