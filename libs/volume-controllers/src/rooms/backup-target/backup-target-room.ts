import { describeError } from '@lateen/errors';
import { apiTime } from '@lateen/kube';
import { watches } from '@lateen/kube-runtime';
import {
  type BackupTarget,
  type BackupVolume,
  backupTargetType,
  backupVolumeName,
  backupVolumeType,
  isBackupOver,
  longhornFinalizer,
  longhornGroup,
  longhornVersion,
  storageLabels,
} from '@lateen/storage-types';
import {
  type BackupTargetEffect,
  type BackupTargetSeen,
  decideBackupTarget,
  lookProblem,
} from '@lateen/volume-decisions';
import { withFinalizer } from '../../frame/finalizers.ts';
import type { Pass, Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { type BackupTargets, withTarget } from '../../targets/backup-targets.ts';
import { Brought } from '../../targets/brought.ts';
import { forgetObject } from '../../targets/forget-object.ts';

/** Targets read in parallel. */
const workers = 2;

type Look = NonNullable<BackupTargetSeen['look']>;
type TargetRoom = Room<BackupTarget, BackupTargetSeen, BackupTargetEffect>;

/** Which volumes have backups on each target, read at its poll interval and on request. */
export function backupTargetRoom(context: RoomContext, targets: BackupTargets): TargetRoom {
  const { caches, namespace } = context;
  const looks = new Brought<Look>();
  return {
    name: 'backup-target',
    type: backupTargetType,
    informer: caches.backupTargets,
    ownership: 'BackupTarget',
    watches: [
      watches(caches.backupVolumes, ({ object }) => [{ namespace, name: object.spec.backupTargetName ?? '' }]),
      looks.watch(caches.backupTargets),
    ],
    workers,
    gather: (target) => {
      const name = target.metadata.name ?? '';
      const look = looks.get(target);
      // A status that is written already was decided from that read; the object may have changed since.
      const isNew = look !== undefined && apiTime(look.atMs) !== target.status?.lastSyncedAt;
      return {
        target,
        backupVolumes: caches.backupVolumes.byIndex('target', name),
        busy: busyVolumes(context, name),
        ...(isNew ? { look } : {}),
      };
    },
    decide: decideBackupTarget,
    apply: async (effect, pass) => {
      await apply({ context, targets, looks }, effect, pass);
      return undefined;
    },
    forget: (key) => looks.forget(key),
  };
}

/** Names of volumes with a Backup in progress. */
const busyVolumes = ({ caches }: RoomContext, target: string): ReadonlySet<string> =>
  new Set(
    caches.backups
      .list()
      .filter(({ metadata }) => metadata.labels?.[storageLabels.backupTarget] === target)
      .filter((backup) => !isBackupOver(backup))
      .map(({ metadata }) => metadata.labels?.[storageLabels.backupVolume] ?? ''),
  );

/** Always returns a result: an unreachable target is reported as such. */
async function lookAt(
  context: RoomContext,
  targets: BackupTargets,
  { object, signal }: Pass<BackupTarget, BackupTargetSeen>,
): Promise<Look> {
  const { clock, log } = context;
  const atMs = clock.now();
  let at: 'open' | 'list' = 'open';
  try {
    const volumes = await withTarget({ ...context, targets }, object, { what: 'look', signal }, async (catalog, o) => {
      at = 'list';
      const names: string[] = [];
      for await (const { name } of catalog.listVolumes(o)) names.push(name);
      return names;
    });
    return { atMs, volumes };
  } catch (error) {
    if (signal.aborted) throw error;
    log.warn({ target: object.metadata.name, err: error }, 'the backup target could not be read');
    return { atMs, error: lookProblem(object.spec.backupTargetURL ?? '', at, describeError(error)) };
  }
}

interface Work {
  readonly context: RoomContext;
  readonly targets: BackupTargets;
  readonly looks: Brought<Look>;
}

async function apply(
  { context, targets, looks }: Work,
  effect: BackupTargetEffect,
  pass: Pass<BackupTarget, BackupTargetSeen>,
): Promise<void> {
  const { caches, kube, namespace } = context;
  const { object, writes, signal } = pass;
  switch (effect.do) {
    case 'look':
      return looks.set(object, await lookAt(context, targets, pass));
    case 'add-finalizer':
      return await writes.change(backupTargetType, object, withFinalizer);
    case 'drop-finalizer':
      return await writes.release(backupTargetType, object, longhornFinalizer);
    case 'create-backup-volume':
      return await writes.create(backupVolumeType, backupVolumeOf(object, effect.volume));
    case 'forget-backup-volume': {
      const found = caches.backupVolumes.get({ namespace, name: effect.name });
      return found && (await forgetObject(kube, backupVolumeType, found, signal));
    }
    default:
      return effect satisfies never;
  }
}

/** Deleted with its target. */
function backupVolumeOf({ metadata }: BackupTarget, volume: string): BackupVolume {
  const { name: target = '', namespace } = metadata;
  return {
    apiVersion: `${longhornGroup}/${longhornVersion}`,
    kind: 'BackupVolume',
    metadata: {
      name: backupVolumeName(volume, target),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [storageLabels.backupTarget]: target, [storageLabels.backupVolume]: volume },
      finalizers: [longhornFinalizer],
    },
    spec: { backupTargetName: target, volumeName: volume },
  };
}
