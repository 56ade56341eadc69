import { hostError, type StartBackup } from '@lateen/block-engine';
import { keyOf, keyText } from '@lateen/kube';
import { type Backup, type BackupTarget, backupLabels, type Volume } from '@lateen/storage-types';
import { type BackupSeen, backupTransferName, storedJobsText, withoutStoredJobs } from '@lateen/volume-decisions';
import { claimLabelsOf } from '../../frame/claim-labels.ts';
import type { Pass } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { beginTransfer, stopTransfer } from '../../hosts/transfers.ts';
import { targetAddress } from '../../targets/backup-targets.ts';

/** The objects that a backup starts with; the caller has checked that both exist. */
export interface TransferOf {
  readonly target: BackupTarget;
  readonly volume: Volume;
}

const MiB = 1024 * 1024;

/** Starts the transfer on the first replica's host that accepts it; it continues there without this process. @throws the error of the last host */
export async function startTransfer(
  context: RoomContext,
  replicas: readonly string[],
  { target: of, volume }: TransferOf,
  { object, signal }: Pass<Backup, BackupSeen>,
): Promise<void> {
  const { kube, namespace, hosts, caches, clock, log } = context;
  const target = await targetAddress(kube, namespace, of, signal);
  let failure: unknown = new RangeError('no replica can be read');
  for (const replica of replicas) {
    const node = caches.replicas.get({ namespace, name: replica })?.spec.nodeID ?? '';
    try {
      const request = startBackupOf({ object, volume, replica, target, context });
      const told = await beginTransfer({ clock }, (call) => hosts.host(node).startBackup(request, call), signal);
      if (told === undefined || told.name === backupTransferName(object)) return;
      await stopTransfer({ clock }, hosts.host(node), told.name, signal);
      throw ofEarlierRelease(node);
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ backup: keyText(keyOf(object)), replica, err: error }, 'a backup could not be begun beside a replica');
      failure = error;
    }
  }
  throw failure;
}

const ofEarlierRelease = (node: string) =>
  hostError(
    'NOT_SUPPORTED',
    `the instance manager of ${node} cannot begin a backup again that a silent node may still make`,
    {
      nextStep: 'Make another backup. An instance manager of the present release comes when its node is drained.',
    },
  );

function startBackupOf({
  object,
  volume,
  replica,
  target,
  context,
}: {
  readonly object: Backup;
  readonly volume: Volume;
  readonly replica: string;
  readonly target: StartBackup['target'];
  readonly context: RoomContext;
}): StartBackup {
  const { metadata, spec } = object;
  const transfer = backupTransferName(object);
  const settings = context.settings();
  const { backupBlockSize, backupCompressionMethod } = volume.spec;
  const blockBytes = spec.backupBlockSize ?? backupBlockSize;
  return {
    backup: metadata.name ?? '',
    ...(transfer === metadata.name ? {} : { transfer }),
    volume: volume.metadata.name ?? '',
    replica,
    snapshot: spec.snapshotName ?? '',
    mode: spec.backupMode ?? 'incremental',
    target,
    blockBytes: BigInt(blockBytes === undefined ? settings.number('default-backup-block-size') * MiB : blockBytes),
    compression: backupCompressionMethod || settings.text('backup-compression-method'),
    labels: labelsWithJobs(context, volume, spec.labels ?? {}),
    volumeFacts: { storageClassName: storageClassOf(context, volume) },
    workers: settings.number('backup-concurrent-limit'),
    detached: true,
  };
}

function storageClassOf({ caches }: RoomContext, { status }: Volume): string {
  const { namespace = '', pvcName: name = '' } = status?.kubernetesStatus ?? {};
  return name === '' ? '' : (caches.claims.get({ namespace, name })?.spec.storageClassName ?? '');
}

/** The labels with the recurring jobs of the volume, for a restore. Only the stored backup gets them; the Backup object stays unchanged. */
function labelsWithJobs(context: RoomContext, volume: Volume, asked: Readonly<Record<string, string>>) {
  const { caches, log } = context;
  const claimLabels = claimLabelsOf(context, volume);
  const { text, leftOut } = storedJobsText(caches.recurringJobs.list(), {
    labels: volume.metadata.labels ?? {},
    ...(claimLabels === undefined ? {} : { claimLabels }),
  });
  if (leftOut.length > 0)
    log.warn(
      { volume: volume.metadata.name, jobs: leftOut.length, first: leftOut[0] },
      'a backup does not name all recurring jobs of its volume: there are too many',
    );
  return { ...withoutStoredJobs(asked), ...(text === undefined ? {} : { [backupLabels.recurringJobInfo]: text }) };
}
