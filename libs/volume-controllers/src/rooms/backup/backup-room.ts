import { describeError, isAppError } from '@lateen/errors';
import type { ObjectKey } from '@lateen/kube';
import { apiTime, keyOf, keyText } from '@lateen/kube';
import { type Watch, watches } from '@lateen/kube-runtime';
import {
  type Backup,
  type BackupTarget,
  backupStateOf,
  backupTargetNameOf,
  backupType,
  backupVolumeNameOf,
  isBackupTransferring,
  longhornFinalizer,
  snapshotType,
} from '@lateen/storage-types';
import {
  type BackupEffect,
  type BackupSeen,
  backupsOfTransfer,
  backupTransferName,
  decideBackup,
} from '@lateen/volume-decisions';
import { withFinalizer } from '../../frame/finalizers.ts';
import type { Pass, Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { volumeOf } from '../../frame/volume-of.ts';
import { stopTransferOn } from '../../hosts/transfers.ts';
import { type BackupTargets, withTarget } from '../../targets/backup-targets.ts';
import { Brought } from '../../targets/brought.ts';
import { goesWithNamespace } from '../../targets/goes-with-namespace.ts';
import { leftoversOf, nodeNames } from './leftover-transfers.ts';
import { startTransfer } from './start-transfer.ts';
import { storedBackup } from './stored-backup.ts';
import { transferFacts } from './transfer-facts.ts';

/** Backups processed in parallel: hosts move the data, but this process carries out deletions. */
const workers = 8;

interface Work {
  readonly context: RoomContext;
  readonly targets: BackupTargets;
  readonly stored: Brought<NonNullable<BackupSeen['stored']>>;
  /** Since when the hosts that a backup needs have not answered, by node. */
  readonly silentSince: Map<string, number>;
}

type BackupPass = Pass<Backup, BackupSeen>;

/** The controller of Backups: a host with a replica moves the data; the contents of the target decide the final state. */
export function backupRoom(context: RoomContext, targets: BackupTargets): Room<Backup, BackupSeen, BackupEffect> {
  const { caches, namespace } = context;
  const work: Work = { context, targets, stored: new Brought(), silentSince: new Map() };
  const ofVolume = (volume: string): ObjectKey[] =>
    caches.backups
      .byIndex('volume', volume)
      .filter((backup) => backupStateOf(backup) !== 'Completed')
      .map(keyOf);
  return {
    name: 'backup',
    type: backupType,
    informer: caches.backups,
    ownership: 'Backup',
    watches: [
      watches(caches.snapshots, ({ object }) =>
        caches.backups.byIndex('snapshot', object.metadata.name ?? '').map(keyOf),
      ),
      watches(caches.engines, ({ object }) => ofVolume(object.spec.volumeName ?? '')),
      watches(caches.backups, ({ object }) => ofVolume(backupVolumeNameOf(object))),
      watches(caches.backupTargets, () =>
        caches.backups
          .list()
          .filter((backup) => backupStateOf(backup) !== 'Completed')
          .map(keyOf),
      ),
      watchedTransfers(context),
      work.stored.watch(caches.backups),
    ],
    workers,
    gather: async (backup, signal) => {
      const goes = await goesWithNamespace(context, backup, signal);
      return { ...gather(work, backup), goesWithNamespace: goes };
    },
    decide: decideBackup,
    apply: async (effect, pass) => {
      try {
        await apply(work, effect, pass);
        return undefined;
      } catch (error) {
        // An error that no retry can change ends the backup.
        const isFinal = effect.do === 'start-transfer' && isAppError(error) && error.retry === 'never';
        if (!isFinal || pass.signal.aborted) throw error;
        return { state: 'Error', error: describeError(error), lastSyncedAt: apiTime(context.clock.now()) };
      }
    },
    forget: (key) => work.stored.forget(key),
  };
  function gather({ stored }: Work, backup: Backup): Omit<BackupSeen, 'goesWithNamespace'> {
    const name = backupVolumeNameOf(backup);
    const target = caches.backupTargets.get({ namespace, name: backupTargetNameOf(backup) });
    const volume = volumeOf(caches, namespace, name);
    const engine = caches.engines.byIndex('volume', name)[0];
    const snapshot = caches.snapshots.get({ namespace, name: backup.spec.snapshotName ?? '' });
    const transfer = transferOf(work, backup);
    const found = stored.get(backup);
    return {
      backup,
      othersGoing: othersGoing(context, backup),
      settings: context.settings(),
      ...(target === undefined ? {} : { target }),
      ...(volume === undefined ? {} : { volume }),
      ...(engine === undefined ? {} : { engine }),
      ...(snapshot === undefined ? {} : { snapshot }),
      ...(transfer === undefined ? {} : { transfer }),
      hasLeftovers: leftoversOf(context, backup).length > 0,
      ...(found === undefined ? {} : { stored: found }),
    };
  }
}

/** A transfer is named after its Backup; when a host starts or stops answering, all backups that may have a transfer there are queued. */
function watchedTransfers({ caches, hosts, namespace }: RoomContext): Watch {
  const goingOn = () => caches.backups.list().filter(isBackupTransferring);
  return {
    informer: caches.backups,
    feed: (queue) => {
      hosts.onChange(({ node, instances }) => {
        const told = instances === 'all' ? hosts.facts(node).instances : instances;
        const ofTransfers = told
          .filter(({ kind }) => kind === 'transfer')
          .flatMap(({ name }) => backupsOfTransfer(name))
          .map((name) => ({ namespace, name }));
        const keys = instances === 'all' ? [...goingOn().map(keyOf), ...ofTransfers] : ofTransfers;
        for (const key of keys) queue.add(keyText(key));
      });
    },
  };
}

function othersGoing({ caches }: RoomContext, backup: Backup): readonly string[] {
  const nameOf = ({ metadata }: Backup) => metadata.name ?? '';
  return caches.backups
    .byIndex('volume', backupVolumeNameOf(backup))
    .filter((other) => nameOf(other) !== nameOf(backup) && isBackupTransferring(other))
    .map(nameOf);
}

/** Reads the state of the transfer; only while it may be running. */
function transferOf({ context, silentSince }: Work, backup: Backup): BackupSeen['transfer'] {
  const { caches, hosts, clock } = context;
  if ((backup.spec.snapshotName ?? '') === '' || ['Completed', 'Error'].includes(backupStateOf(backup)))
    return undefined;
  return transferFacts({
    transfer: backupTransferName(backup),
    nodes: nodeNames(context),
    replicas: caches.replicas.byIndex('volume', backupVolumeNameOf(backup)),
    replicaAddress: backup.status?.replicaAddress ?? '',
    facts: (node) => {
      const facts = hosts.facts(node);
      if (facts.reach === 'answers') silentSince.delete(node);
      else if (!silentSince.has(node)) silentSince.set(node, clock.now());
      return facts;
    },
    silentSinceMs: (node) => silentSince.get(node) ?? clock.now(),
  });
}

async function apply(work: Work, effect: BackupEffect, pass: BackupPass): Promise<void> {
  const { context, targets, stored } = work;
  const { caches, namespace } = context;
  const { object, seen, writes, signal } = pass;
  switch (effect.do) {
    case 'add-finalizer':
      return await writes.change(backupType, object, withFinalizer);
    case 'drop-finalizer':
      return await writes.release(backupType, object, longhornFinalizer);
    case 'delete-backup':
      // The cached answer of the target is old: the target is read again before anything on it is deleted.
      stored.forget(keyOf(object));
      return await writes.delete(backupType, object);
    case 'delete-snapshot': {
      const snapshot = caches.snapshots.get({ namespace, name: effect.snapshot });
      return snapshot && (await writes.delete(snapshotType, snapshot));
    }
    case 'read-stored':
      return stored.set(object, await readStored(work, pass));
    case 'delete-stored':
      await withTarget({ ...context, targets }, needed(seen.target), { what: 'delete', signal }, (catalog, o) =>
        catalog.deleteBackup(backupVolumeNameOf(object), object.metadata.name ?? '', o),
      );
      return;
    case 'start-transfer':
      // The target was read before, and will answer differently now.
      stored.forget(keyOf(object));
      return await startTransfer(
        context,
        effect.replicas,
        { target: needed(seen.target), volume: needed(seen.volume) },
        pass,
      );
    case 'stop-transfer':
      // Nothing can be stopped on hosts that do not answer: what they hold expires with its lock.
      return await stopTransferOn(context, nodeNames(context), backupTransferName(object), signal);
    case 'stop-leftovers':
      for (const { node, name } of leftoversOf(context, object)) await stopTransferOn(context, [node], name, signal);
      return;
    default:
      return effect satisfies never;
  }
}

function needed<T>(found: T | undefined): T {
  if (found === undefined) throw new RangeError('a backup without its target or volume is not worked on');
  return found;
}

async function readStored(
  { context, targets }: Work,
  { object, seen, signal }: BackupPass,
): Promise<NonNullable<BackupSeen['stored']>> {
  const target: BackupTarget = needed(seen.target);
  const of = {
    url: target.spec.backupTargetURL ?? '',
    volume: backupVolumeNameOf(object),
    backup: object.metadata.name ?? '',
  };
  // For a backup found on the target, nothing is decided by it: it is read again later.
  const isDecided = object.metadata.deletionTimestamp !== undefined || (object.spec.snapshotName ?? '') !== '';
  try {
    return await withTarget({ ...context, targets }, target, { what: 'read', signal }, (catalog, o) =>
      storedBackup(catalog, of, o.signal),
    );
  } catch (error) {
    if (!isDecided || !isAppError(error, 'BLOCK_STORE_FILE')) throw error;
    context.log.warn({ backup: of.backup, volume: of.volume, err: error }, 'the file of a backup cannot be used');
    return 'damaged';
  }
}
