import { createHash } from 'node:crypto';
import { blockVolumeError, type Call } from '@lateen/block-engine';
import { deleteIfThere, isAlreadyExists, readObject } from '@lateen/kube';
import {
  type Backup,
  type BackupMode,
  backupStateOf,
  backupTargetType,
  backupType,
  defaultBackupTarget,
  int64Of,
  snapshotType,
  storageLabels,
} from '@lateen/storage-types';
import { checkBackupTargetAvailable, newBackup } from '@lateen/volume-decisions';
import { type EngineDeps, engineDeps, type ReplicatedEngineOptions } from './engine-deps.ts';
import { objectNameOf } from './object-name.ts';
import { takeSnapshot } from './snapshots.ts';
import { volumeNamed } from './volume-named.ts';

/** A backup of a volume in a backup target, as CSI shows it: a snapshot of type `bak`. */
export interface VolumeBackup {
  readonly name: string;
  readonly volume: string;
  /** By which a volume is made of it; '' while it is not complete. */
  readonly url: string;
  /** Of the volume that was backed up. */
  readonly sizeBytes: bigint;
  readonly createdAtMs: number;
  readonly isComplete: boolean;
}

/** Backups of blocks by name. Every call is idempotent; errors are those of a `BlockEngine`. */
export interface VolumeBackups {
  /**
   * Takes the snapshot `name` and asks for its backup; resolves when that is asked for, also where it is not complete: ask again.
   * @throws `NOT_POSSIBLE_NOW` for a target that cannot be reached, and for a backup that has failed
   */
  backUp(volume: string, name: string, o: Call & { readonly mode?: BackupMode }): Promise<VolumeBackup>;
  /** What is on the target goes with it. Absent, or another volume's, is fine. */
  delete(volume: string, backup: string, o: Call): Promise<void>;
  find(volume: string, backup: string, o: Call): Promise<VolumeBackup | undefined>;
}

/** Over the same objects as `replicatedBlockEngine`. */
export function replicatedBackups(options: ReplicatedEngineOptions): VolumeBackups {
  const deps = engineDeps(options);
  return {
    backUp: (volume, name, o) => backUp(deps, volume, name, o),
    delete: async (volume, name, { signal }) => {
      const found = await backupNamed(deps, volume, name, signal);
      if (found !== undefined) await deleteIfThere(deps.kube, backupType, found, signal);
    },
    find: async (volume, name, { signal }) => {
      const found = await backupNamed(deps, volume, name, signal);
      return found && backupOf(volume, found);
    },
  };
}

async function backUp(
  deps: EngineDeps,
  volume: string,
  name: string,
  o: Call & { readonly mode?: BackupMode },
): Promise<VolumeBackup> {
  const { kube, namespace } = deps;
  const of = await volumeNamed(deps, volume, o);
  const key = { namespace, name: backupNameOf(name) };
  const there = await readObject(kube, backupType, key, o.signal);
  if (there !== undefined) return going(deps, volume, there, o);
  const targetName = of.spec.backupTargetName || defaultBackupTarget;
  const target = await readObject(kube, backupTargetType, { namespace, name: targetName }, o.signal);
  const refused = checkBackupTargetAvailable(targetName, target?.status?.available === true);
  if (refused !== undefined) {
    throw blockVolumeError('NOT_POSSIBLE_NOW', refused, { nextStep: `Check the BackupTarget ${targetName}.` });
  }
  await takeSnapshot(deps, { volume, snapshot: name }, { signal: o.signal, freeze: 'whenMounted' });
  const wanted = { name: key.name, snapshot: objectNameOf(name), labels: {}, mode: o.mode ?? 'incremental' };
  try {
    return await going(deps, volume, await kube.create(backupType, newBackup(of, wanted), o), o);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return await going(deps, volume, await kube.get(backupType, key, o), o);
  }
}

/** Of one that is not complete the time and size are those of its snapshot. */
async function going(deps: EngineDeps, volume: string, backup: Backup, { signal }: Call): Promise<VolumeBackup> {
  const { name = '' } = backup.metadata;
  if (backup.metadata.labels?.[storageLabels.backupVolume] !== objectNameOf(volume)) {
    throw blockVolumeError('SNAPSHOT_EXISTS', `backup ${name} is one of another volume`, {
      nextStep: 'Use another name.',
    });
  }
  if (backup.metadata.deletionTimestamp !== undefined) {
    throw blockVolumeError('VOLUME_BUSY', `the backup ${name} before is still being deleted`, {
      nextStep: 'Repeat the call when it is gone.',
    });
  }
  if (backupStateOf(backup) === 'Error') {
    const why = backup.status?.error || 'no reason is recorded';
    throw blockVolumeError('NOT_POSSIBLE_NOW', `backup ${name} of volume ${volume} has failed: ${why}`, {
      nextStep: `Correct the reported cause, and make another snapshot: lateen storage backup describe ${name}.`,
    });
  }
  const told = backupOf(volume, backup);
  if (told.isComplete) return told;
  const key = { namespace: deps.namespace, name: backup.spec.snapshotName ?? '' };
  const { status } = (await readObject(deps.kube, snapshotType, key, signal)) ?? {};
  const createdAtMs = Date.parse(status?.creationTime ?? '') || 0;
  return { ...told, createdAtMs, sizeBytes: BigInt(status?.restoreSize ?? 0) };
}

async function backupNamed(
  { kube, namespace }: EngineDeps,
  volume: string,
  name: string,
  signal: AbortSignal,
): Promise<Backup | undefined> {
  const found = await readObject(kube, backupType, { namespace, name }, signal);
  const of = found?.metadata.labels?.[storageLabels.backupVolume] ?? found?.status?.volumeName;
  return of === objectNameOf(volume) ? found : undefined;
}

function backupOf(volume: string, backup: Backup): VolumeBackup {
  const { metadata, status } = backup;
  const isComplete = backupStateOf(backup) === 'Completed' && metadata.deletionTimestamp === undefined;
  return {
    name: metadata.name ?? '',
    volume,
    url: isComplete ? (status?.url ?? '') : '',
    sizeBytes: int64Of(status?.volumeSize) ?? 0n,
    createdAtMs: Date.parse(status?.snapshotCreatedAt ?? '') || 0,
    isComplete,
  };
}

/** The same for the same snapshot, so that a call that is repeated finds its backup. */
const backupNameOf = (snapshot: string): string =>
  `backup-${createHash('sha256').update(snapshot).digest('hex').slice(0, 16)}`;
