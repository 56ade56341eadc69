import { storageLabels } from '@lateen/storage-types';
import { checkBackupTargetAvailable } from '../checks/backup-target-checks.ts';
import type { BackupSeen } from './backup-seen.ts';

/** A backup that has been pending for this long has failed. */
export const pendingMaxMs = 24 * 3_600_000;

export type BeforeTransfer =
  | { readonly error: string }
  | { readonly waits: string }
  /** Names of the replicas that the backup may read. */
  | { readonly replicas: readonly string[] };

/** Decides whether a backup may begin, and from which replicas. Each wait is bounded. */
export function beforeTransfer(seen: BackupSeen, nowMs: number): BeforeTransfer {
  const { backup, volume } = seen;
  const { labels = {}, creationTimestamp } = backup.metadata;
  const name = labels[storageLabels.backupVolume] ?? '';
  if (name === '') return { error: `the backup names no volume: its label ${storageLabels.backupVolume} is missing` };
  if ((labels[storageLabels.backupTarget] ?? '') === '')
    return { error: `the backup names no target: its label ${storageLabels.backupTarget} is missing` };
  // The target is read first: the object may be older than the volume.
  if (volume === undefined && isAvailable(seen)) return { error: `volume ${name} is not there` };
  const waits = waitsFor(seen, name);
  if (waits === undefined) return { replicas: readable(seen) };
  const sinceMs = Date.parse(creationTimestamp ?? '');
  return nowMs - sinceMs >= pendingMaxMs ? { error: `the backup has waited for a day: ${waits}` } : { waits };
}

function waitsFor(seen: BackupSeen, volume: string): string | undefined {
  const { snapshot, othersGoing, backup } = seen;
  const name = backup.metadata.labels?.[storageLabels.backupTarget] ?? '';
  const unavailable = checkBackupTargetAvailable(name, isAvailable(seen));
  if (unavailable !== undefined) return unavailable;
  if (snapshot?.status?.readyToUse !== true) return `snapshot ${backup.spec.snapshotName} is not ready`;
  if (snapshot.spec.volume !== volume)
    return `snapshot ${backup.spec.snapshotName} is of volume ${snapshot.spec.volume}`;
  if (othersGoing.length > 0) return `backup ${[...othersGoing].sort()[0]} of the volume is running`;
  return readable(seen).length === 0 ? `no replica of volume ${volume} can be read: it has to be attached` : undefined;
}

const isAvailable = ({ target }: BackupSeen): boolean => target?.status?.available === true;

const readable = ({ engine }: BackupSeen): readonly string[] =>
  engine?.status?.currentState !== 'running'
    ? []
    : Object.entries(engine.status.replicaModeMap ?? {})
        .filter(([, mode]) => mode === 'RW')
        .map(([name]) => name)
        .sort();
