import type { Backup } from '@lateen/api-types';
import type { BackupStore, NativeSnapshot } from '@lateen/backup-store';
import { describeError } from '@lateen/errors';
import { discardBackupSnapshots } from '@lateen/item-actions';
import type { Logger } from '@lateen/kernel';
import type { SnapshotterPorts } from '@lateen/native-snapshots';
import { takeSnapshotsBack } from '../native-snapshots/take-snapshots-back.ts';
import {
  dataUploads,
  type EndMovementsPorts,
  endMovements,
  forgetMovements,
  podVolumeBackups,
} from './end-movements.ts';

export type TakeBackPorts = Omit<EndMovementsPorts, 'log'> & SnapshotterPorts;

export interface TakeBackOptions {
  /** The store of the backup's files; absent when the files are not ours or cannot be reached. */
  files?: BackupStore | undefined;
  /** The native snapshots that the run itself knows; default: those in its file. */
  nativeSnapshots?: readonly NativeSnapshot[] | undefined;
  log: Logger;
}

/**
 * Deletes what was created for a backup that is cancelled or has failed: its movements and their snapshots, its native snapshots, and its
 * files. The files that make the backup look complete are deleted first; the file that lists native snapshots stays as long as one is left.
 * What repositories have to forget is recorded, and done without the Backup. Continues after failures and returns the reasons, for users;
 * safe to repeat.
 */
export async function takeBack(
  { kube, clock, random, namespace, snapshotters, credentialFiles }: TakeBackPorts,
  backup: Backup,
  { files, log, nativeSnapshots }: TakeBackOptions,
  signal: AbortSignal,
): Promise<string[]> {
  const problems: string[] = [];
  const attempt = async (what: string, act: () => Promise<void>) => {
    try {
      await act();
    } catch (error) {
      signal.throwIfAborted();
      problems.push(`${what}: ${describeError(error)}`);
      log.warn({ err: error, what }, 'something stored for a backup could not be deleted');
    }
  };
  const ports = { kube, clock, random, namespace, log };
  await attempt('its data uploads', () => endMovements(ports, dataUploads, backup, signal));
  await attempt('its pod volume backups', () => endMovements(ports, podVolumeBackups, backup, signal));
  await attempt('its stored data', () => forgetMovements(ports, dataUploads, backup, signal));
  await attempt('its stored pod volumes', () => forgetMovements(ports, podVolumeBackups, backup, signal));
  await attempt('its snapshots', () => discardBackupSnapshots({ kube, backup }, signal));
  let keep: 'volumeSnapshots' | undefined = 'volumeSnapshots';
  await attempt('its native snapshots', async () => {
    const known = { files, known: nativeSnapshots };
    if (await takeSnapshotsBack({ ...ports, snapshotters, credentialFiles }, backup, known, signal)) keep = undefined;
  });
  if (files !== undefined)
    await attempt('its files', () => files.deleteBackup(backup.metadata.name ?? '', { signal, keep }));
  return problems;
}
