import { labels, parentSnapshotValues, volumeSnapshotType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { listAll, type ObjectKey } from '@lateen/kube';
import { type KeptBase, readBase } from '../base/base-notes.ts';
import { type ChangedRangesPorts, readRangesFrom } from '../client/read-changed-ranges.ts';
import { findMetadataService, type MetadataService } from '../client/snapshot-metadata-service.ts';
import {
  decideRead,
  doesNotApply,
  fullReasons,
  type NotApplicable,
  type StoredSnapshot,
} from '../decide/decide-read.ts';
import { doubtReason } from '../doubt.ts';
import type { RangeList } from '../ranges/range-list.ts';

/** What is to be read, and the facts about it. Undefined facts could not be determined: then everything is read. */
export interface VolumeToRead {
  /** The VolumeSnapshot that is read; bases are in its namespace. */
  readonly snapshot: { readonly namespace: string; readonly name: string };
  /** Who asks: it may get VolumeSnapshots there. */
  readonly serviceAccount: ObjectKey;
  readonly driver: string | undefined;
  /** What the driver calls the volume that was snapshotted. */
  readonly volumeHandle: string | undefined;
  /** Of the claim that was snapshotted. */
  readonly claimUid: string | undefined;
  readonly backupStorageLocation: string;
  /** `spec.parentSnapshot` of the movement. */
  readonly parentSnapshot: string | undefined;
  readonly sizeBytes: number;
  /** Whether the source has been uploaded before; undefined if nobody has looked. */
  readonly isUsed: boolean | undefined;
  /** Whether a full read can leave out blocks that have no data: then the storage is asked for those that have. */
  readonly skipsUnused: boolean;
}

/** What the repository has of the source. */
export interface StoredVolume {
  /** The newest first. */
  readonly snapshots: readonly StoredSnapshot[];
  /** By which its chunks are cut now. */
  readonly splitter: string | NotApplicable;
}

export interface FindChangesPorts extends ChangedRangesPorts {
  /** Asked only when there is a base: it opens the repository. */
  stored(signal: AbortSignal): Promise<StoredVolume>;
}

export type FoundChanges =
  /** `allocated`: what has data, when the storage tells it; all other bytes are zero. */
  | { readonly kind: 'full'; readonly reason: string; readonly allocated?: RangeList }
  /** `chunkBytes`: of the snapshot that is the base; of one of files, to what the ranges may be widened. */
  | { readonly kind: 'changes'; readonly baseID: string; readonly chunkBytes: number; readonly changed: RangeList };

/**
 * What has changed in a volume since the snapshot that was kept of it. Everything that is not known for sure is a full read with
 * its reason, and so is every error: a full read either works, or says the same of the repository more clearly. Each error is logged.
 * @throws the signal's reason on abort; nothing else
 */
export async function findChanges(
  ports: FindChangesPorts,
  volume: VolumeToRead,
  signal: AbortSignal,
): Promise<FoundChanges> {
  try {
    return await changesOf(ports, volume, signal);
  } catch (error) {
    signal.throwIfAborted();
    ports.log.warn({ err: error }, 'what has changed in the volume could not be found out');
    return full(doubtReason(error) ?? `what has changed could not be found out (${codeOf(error)})`);
  }
}

/** To what ranges are widened when there are too many, and no chunks say it. */
const granuleBytes = 1024 * 1024;

const full = (reason: string): FoundChanges => ({ kind: 'full', reason });
const codeOf = (error: unknown): string => (isAppError(error) ? error.code : 'unexpected error');

async function changesOf(ports: FindChangesPorts, volume: VolumeToRead, signal: AbortSignal): Promise<FoundChanges> {
  const { snapshot, driver, volumeHandle, claimUid, backupStorageLocation, parentSnapshot, sizeBytes } = volume;
  if (parentSnapshot === parentSnapshotValues.none) return full(fullReasons.noParent);
  if (driver === undefined) return full('the DataUpload names no CSI driver');
  if (volumeHandle === undefined) return full('the snapshot does not name its volume');
  if (claimUid === undefined) return full('the claim is gone');
  const [bases, service] = await Promise.all([
    basesOf(ports, { namespace: snapshot.namespace, claimUid }, signal),
    findMetadataService(ports.kube, driver, signal),
  ]);
  if (service === undefined) return full(fullReasons.noService(driver));
  if (bases.length === 0)
    return await fullOf(
      ports,
      volume,
      service,
      volume.isUsed === false ? fullReasons.first : fullReasons.baseGone,
      signal,
    );
  const { snapshots, splitter } = await ports.stored(signal);
  const target = { driver, volumeHandle, sizeBytes, backupStorageLocation };
  const decision = decideRead({ parentSnapshot, stored: snapshots, bases, target, splitter, hasService: true });
  if (decision.kind === 'full') return await fullOf(ports, volume, service, decision.reason, signal);
  const { base, parent } = decision;
  const chunkBytes = decision.chunkBytes === doesNotApply ? granuleBytes : decision.chunkBytes;
  const changed = await readRangesFrom(
    ports,
    service,
    {
      driver,
      serviceAccount: volume.serviceAccount,
      namespace: snapshot.namespace,
      snapshot: snapshot.name,
      baseHandle: base.snapshotHandle,
      sizeBytes,
      chunkBytes,
    },
    signal,
  );
  return { kind: 'changes', baseID: parent.snapshotID, chunkBytes, changed };
}

/** The storage also tells which blocks have data, so that a full read of a thin volume is not the read of its size. */
async function fullOf(
  ports: FindChangesPorts,
  { serviceAccount, snapshot, sizeBytes, skipsUnused }: VolumeToRead,
  service: MetadataService,
  reason: string,
  signal: AbortSignal,
): Promise<FoundChanges> {
  if (!skipsUnused) return full(reason);
  const { namespace, name } = snapshot;
  const question = {
    driver: service.driver,
    serviceAccount,
    namespace,
    snapshot: name,
    sizeBytes,
    chunkBytes: granuleBytes,
  };
  try {
    return { kind: 'full', reason, allocated: await readRangesFrom(ports, service, question, signal) };
  } catch (error) {
    signal.throwIfAborted();
    ports.log.warn({ err: error }, 'which blocks of the volume have data could not be found out');
    return full(reason);
  }
}

/** One that is being deleted, or is not ready, may be gone before it is compared with. */
async function basesOf(
  { kube }: FindChangesPorts,
  { namespace, claimUid }: { namespace: string; claimUid: string },
  signal: AbortSignal,
): Promise<KeptBase[]> {
  const labelSelector = `${labels.baseOf}=${claimUid}`;
  const { items } = await listAll(kube, volumeSnapshotType, { namespace, labelSelector, signal });
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .flatMap((snapshot) => readBase(snapshot) ?? [])
    .filter(({ isReady }) => isReady);
}
