import {
  type DataDownload,
  dataDownloadType,
  isTerminalPhase,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeType,
  type Restore,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { durationText, parseDurationMs } from '@lateen/kernel';
import { keyOf, keyText, readObject } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { RestoreActionContext } from '../../contract/restore-item-action.ts';
import type { DataDownloads } from '../data-downloads.ts';
import type { DataUploadResult } from '../upload-result.ts';
import type { ExistingPolicy } from './existing-policy.ts';
import { whyUnfit } from './fitness.ts';
import { keepsOldData, snapshotOldData } from './old-data.ts';
import { mayScale, scaleDown, usersOf } from './workloads.ts';

export interface InPlaceWork {
  /** The claim as it is in the cluster. */
  claim: PersistentVolumeClaim;
  stored: PersistentVolumeClaim;
  target: { namespace: string; name: string };
  result: DataUploadResult;
  policy: Exclude<ExistingPolicy, 'none'>;
  /** The DataDownload of an earlier attempt of the restore. */
  made: DataDownload | undefined;
}

/**
 * Restores data into the volume of an existing claim, and waits for the end of that: users of the claim are restored after it,
 * and must not see incomplete data. Before anything is written, the checks are made and the old data is snapshotted.
 * @throws AppError EXISTING_VOLUME_UNFIT, WORKLOAD_NOT_SCALABLE, SNAPSHOT_…: nothing was written; EXISTING_VOLUME_NOT_RESTORED
 */
export async function restoreInPlace(
  work: InPlaceWork,
  { context, downloads }: { context: RestoreActionContext; downloads: DataDownloads },
  signal: AbortSignal,
): Promise<DataDownload> {
  const made = work.made ?? (await begin(work, { context, downloads }, signal));
  const ended = await endOf(made, context, signal);
  if (ended?.status?.phase === 'Completed') return ended;
  const { phase = 'gone', message = '' } = ended?.status ?? {};
  throw new AppError(
    'EXISTING_VOLUME_NOT_RESTORED',
    `the data of PVC ${keyText(work.target)} is in part that of the backup: DataDownload ${made.metadata.name} is ${phase}${message === '' ? '' : `: ${message}`}`,
    {
      nextStep: `lateen restore rollback ${context.restore.metadata.name} brings back its previous data; or restore again.`,
    },
  );
}

async function begin(
  { claim, stored, target, result, policy }: InPlaceWork,
  { context, downloads }: { context: RestoreActionContext; downloads: DataDownloads },
  signal: AbortSignal,
): Promise<DataDownload> {
  const { restore } = context;
  const volume = await fitVolume({ claim, stored, target }, context, signal);
  if (keepsOldData(restore)) await snapshotOldData(claim, volume, context, signal);
  const into = { restoreType: policy, volume: volume.metadata.name ?? '' };
  return await downloads.create({ stored, target, result, into }, context, signal);
}

/** The volume, when it may be written into; its users are scaled down first if the restore says so. A plan only checks. */
export async function fitVolume(
  { claim, stored, target }: Pick<InPlaceWork, 'claim' | 'stored' | 'target'>,
  context: RestoreActionContext,
  signal: AbortSignal,
): Promise<PersistentVolume> {
  const { kube, restore, archived, dryRun } = context;
  const volume = await readObject(kube, persistentVolumeType, { name: claim.spec.volumeName ?? '' }, signal);
  const { group, resource } = persistentVolumeType;
  const storedName = stored.spec.volumeName ?? '';
  const storedVolume = storedName === '' ? undefined : await archived({ group, resource, name: storedName }, signal);
  const users = await usersOf(kube, target, signal);
  const seen = {
    claim,
    volume,
    stored,
    storedVolume: storedVolume as PersistentVolume | undefined,
    isMapped: stored.metadata.namespace !== target.namespace,
  };
  const scales = scalesWorkloads(restore);
  const unfit = whyUnfit({ ...seen, users: scales ? [] : users });
  if (unfit !== undefined || volume === undefined)
    throw new AppError(
      'EXISTING_VOLUME_UNFIT',
      `no data is restored into PVC ${keyText(target)}: ${unfit?.message ?? 'it has no volume'}`,
      unfit === undefined ? {} : { nextStep: unfit.nextStep },
    );
  if (scales && users.length > 0 && !dryRun) await scaleDown(context, restore, users, signal);
  return volume;
}

const scalesWorkloads = (restore: Restore): boolean => {
  if (!mayScale(restore)) return false;
  if (restore.spec.existingResourcePolicy !== 'update') return true;
  throw new AppError(
    'EXISTING_VOLUME_UNFIT',
    'workloads are not scaled down by a restore with existingResourcePolicy update: it would scale them up again while their volumes are written',
    { nextStep: 'Restore the volumes first, without it.' },
  );
};

async function endOf(
  made: DataDownload,
  { kube, clock, random, log, restore }: RestoreActionContext,
  signal: AbortSignal,
): Promise<DataDownload | undefined> {
  const timeoutMs = parseDurationMs(restore.spec.itemOperationTimeout ?? '') || timeoutDefaultMs;
  const deadline = clock.deadline(timeoutMs);
  const until = (seen: DataDownload | undefined) =>
    seen === undefined ? { ended: undefined } : isTerminalPhase(seen.status?.phase) ? { ended: seen } : undefined;
  const either = AbortSignal.any([signal, deadline]);
  const wait = { api: kube, type: dataDownloadType, key: keyOf(made), until, signal: either, clock, random, log };
  try {
    return (await waitForObject(wait)).ended;
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    const body = { spec: { cancel: true } };
    await kube.patch(dataDownloadType, keyOf(made), { type: 'merge', body }, { signal });
    throw new AppError(
      'EXISTING_VOLUME_NOT_RESTORED',
      `DataDownload ${made.metadata.name} has not ended in ${durationText(timeoutMs)}, and is cancelled: the data of its claim is in part that of the backup`,
    );
  }
}

/** The server's default, in case the server has not completed the spec. */
const timeoutDefaultMs = 14_400_000;
