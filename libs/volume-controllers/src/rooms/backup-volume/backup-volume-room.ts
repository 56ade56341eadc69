import type { BlockCatalog } from '@lateen/block-store';
import { describeError } from '@lateen/errors';
import { apiTime } from '@lateen/kube';
import { watches } from '@lateen/kube-runtime';
import {
  type Backup,
  type BackupTarget,
  type BackupVolume,
  backupTargetNameOf,
  backupType,
  backupVolumeName,
  backupVolumeNameOf,
  backupVolumeType,
  longhornFinalizer,
  longhornGroup,
  longhornVersion,
  storageLabels,
} from '@lateen/storage-types';
import { type BackupVolumeEffect, type BackupVolumeSeen, decideBackupVolume } from '@lateen/volume-decisions';
import { withFinalizer } from '../../frame/finalizers.ts';
import type { Pass, Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { type BackupTargets, withTarget } from '../../targets/backup-targets.ts';
import { Brought } from '../../targets/brought.ts';
import { forgetObject } from '../../targets/forget-object.ts';
import { goesWithNamespace } from '../../targets/goes-with-namespace.ts';

/** Volumes processed in parallel. */
const workers = 4;

type Look = NonNullable<BackupVolumeSeen['look']>;
type VolumePass = Pass<BackupVolume, BackupVolumeSeen>;

/** The controller of BackupVolumes: it keeps their status and the Backups of the volume equal to the target. */
export function backupVolumeRoom(
  context: RoomContext,
  targets: BackupTargets,
): Room<BackupVolume, BackupVolumeSeen, BackupVolumeEffect> {
  const { caches, namespace } = context;
  const looks = new Brought<Look>();
  return {
    name: 'backup-volume',
    type: backupVolumeType,
    informer: caches.backupVolumes,
    ownership: 'BackupVolume',
    watches: [
      watches(caches.backupTargets, ({ object }) =>
        caches.backupVolumes
          .byIndex('target', object.metadata.name ?? '')
          .map(({ metadata }) => ({ namespace, name: metadata.name ?? '' })),
      ),
      watches(caches.backups, ({ object }) => [{ namespace, name: backupVolumeOf(object) }]),
      looks.watch(caches.backupVolumes),
    ],
    workers,
    gather: async (backupVolume, signal) => {
      const { spec, status } = backupVolume;
      const goes = await goesWithNamespace(context, backupVolume, signal);
      const target = caches.backupTargets.get({ namespace, name: spec.backupTargetName ?? '' });
      const look = looks.get(backupVolume);
      const isNew = look !== undefined && apiTime(look.atMs) !== status?.lastSyncedAt;
      return {
        backupVolume,
        backups: backupsOf(context, backupVolume),
        goesWithNamespace: goes,
        ...(target === undefined ? {} : { target }),
        ...(isNew ? { look } : {}),
      };
    },
    decide: decideBackupVolume,
    apply: async (effect, pass) => {
      await apply({ context, targets, looks }, effect, pass);
      return undefined;
    },
    forget: (key) => looks.forget(key),
  };
}

const backupVolumeOf = (backup: Backup): string =>
  backupVolumeName(backupVolumeNameOf(backup), backupTargetNameOf(backup));

const backupsOf = ({ caches }: RoomContext, { spec }: BackupVolume): readonly Backup[] =>
  caches.backups
    .byIndex('volume', spec.volumeName ?? '')
    .filter(({ metadata }) => metadata.labels?.[storageLabels.backupTarget] === spec.backupTargetName);

async function lookAt(context: RoomContext, targets: BackupTargets, pass: VolumePass): Promise<Look> {
  const { clock, log } = context;
  const { object, seen, signal } = pass;
  const { volumeName: volume = '' } = object.spec;
  const atMs = clock.now();
  try {
    return await withTarget(
      { ...context, targets },
      needed(seen.target),
      { what: 'look', signal },
      async (catalog, o) => {
        const backups: string[] = [];
        for await (const name of catalog.listBackups(volume, o)) backups.push(name);
        return { atMs, backups, volume: await storedVolume(catalog, volume, o.signal) };
      },
    );
  } catch (error) {
    if (signal.aborted) throw error;
    log.warn(
      { volume, target: object.spec.backupTargetName, err: error },
      'the backups of a volume could not be listed',
    );
    return { atMs, error: describeError(error) };
  }
}

/** A volume whose file is damaged may still have backups. */
async function storedVolume(catalog: BlockCatalog, volume: string, signal: AbortSignal) {
  try {
    return await catalog.readVolume(volume, { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    return { problem: describeError(error) };
  }
}

function needed(target: BackupTarget | undefined): BackupTarget {
  if (target === undefined) throw new RangeError('a target that is gone is not looked at');
  return target;
}

interface Work {
  readonly context: RoomContext;
  readonly targets: BackupTargets;
  readonly looks: Brought<Look>;
}

async function apply({ context, targets, looks }: Work, effect: BackupVolumeEffect, pass: VolumePass): Promise<void> {
  const { kube, caches, namespace } = context;
  const { object, seen, writes, signal } = pass;
  const backup = 'backup' in effect ? caches.backups.get({ namespace, name: effect.backup }) : undefined;
  switch (effect.do) {
    case 'look':
      return looks.set(object, await lookAt(context, targets, pass));
    case 'add-finalizer':
      return await writes.change(backupVolumeType, object, withFinalizer);
    case 'drop-finalizer':
      return await writes.release(backupVolumeType, object, longhornFinalizer);
    case 'delete-stored':
      return await withTarget({ ...context, targets }, needed(seen.target), { what: 'delete', signal }, (catalog, o) =>
        catalog.deleteVolume(object.spec.volumeName ?? '', o),
      );
    case 'create-backup':
      // An existing Backup of this name may belong to another volume: it stays unchanged.
      return backup === undefined ? await writes.create(backupType, foundBackup(object, effect.backup)) : undefined;
    case 'delete-backup':
      return backup && (await writes.delete(backupType, backup));
    case 'forget-backup':
      return backup && (await forgetObject(kube, backupType, backup, signal));
    default:
      return effect satisfies never;
  }
}

/** The Backup object for a backup that was found on the target. */
function foundBackup({ metadata, spec }: BackupVolume, name: string): Backup {
  const { namespace } = metadata;
  return {
    apiVersion: `${longhornGroup}/${longhornVersion}`,
    kind: 'Backup',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        [storageLabels.backupTarget]: spec.backupTargetName ?? '',
        [storageLabels.backupVolume]: spec.volumeName ?? '',
      },
      finalizers: [longhornFinalizer],
    },
    spec: {},
  };
}
