import {
  attemptOf,
  type DataDownload,
  type DataUpload,
  type PodVolumeBackup,
  type PodVolumeRestore,
  type ResourceType,
} from '@lateen/api-types';
import type { AsyncBR, BackupResult, RestoreResult } from '@lateen/datapath';
import type { ExposeOwner } from '@lateen/exposer';
import type { BackupRepositoryKey } from '@lateen/repository';
import type { HostingPod } from '@lateen/watcher';
import type { Rank } from '../slots.ts';
import type { ClientOf } from './client-of.ts';
import type { Ownership } from './ownership.ts';

export type Movement = DataUpload | DataDownload | PodVolumeBackup | PodVolumeRestore;
export type MovementStatus<T extends Movement> = NonNullable<T['status']>;

/** Fields of status to write; null removes a field. */
export type MovementPatch<T extends Movement> = { [K in keyof MovementStatus<T>]?: MovementStatus<T>[K] | null };

/**
 * The differences between the kinds of movements. Everything else (phases, ownership, cancel, restart, clean-up) is shared code.
 */
export interface MovementKind<T extends Movement> {
  type: ResourceType<T>;
  /** As messages of Velero spell it: `data upload`. */
  words: string;
  /** The short form, used when a preparation times out: `timeout on preparing PVB`. */
  shortWords: string;
  /** `backup` or `restore`; in `data path backup failed: …`. */
  verb: string;
  /** Its priority in the queues for slots and for preparation. */
  rank: Rank;
  /** Keeps the object until everything that was made for it has been cleaned up. */
  finalizer: string;
  /** Its movers write the volume, so there must never be two of them (docs/adr/0018). */
  writesVolume: boolean;
  owner: Ownership<T>;
  /** The client pod, for movements of a running pod's volume. */
  client?: ClientOf<T>;
  /** Whether the movement is for another data mover. */
  isForAnother(object: T): boolean;
  /** The repository of its data. @throws UPLOADER_TYPE_UNKNOWN */
  repositoryOf(object: T): Omit<BackupRepositoryKey, 'namespace'>;
  /** The beginning of the message when the exposure fails. */
  exposeFailure: string;
  /** Makes the volume reachable by a hosting pod. Idempotent; resolves before the pod runs. */
  expose(object: T, signal: AbortSignal): Promise<void>;
  /** Why the exposure is not ready yet, if the cause can be found. */
  diagnose(object: T, signal: AbortSignal): Promise<string | undefined>;
  /** Cleans up everything that `expose` made. Idempotent. */
  cleanUp(object: T, signal: AbortSignal): Promise<void>;
  startPath(path: AsyncBR<HostingPod, undefined>, object: T): Promise<void>;
  /** The step between the end of a successful data path and Completed, if there is one. */
  finish?: FinishingStep<T>;
  /** Status fields to set besides phase and times. */
  startedStatus(): Partial<MovementStatus<T>>;
  /** Whether its status has rates (`throughput`). */
  tellsThroughput: boolean;
  completedStatus(result: BackupResult | RestoreResult): Partial<MovementStatus<T>>;
}

/** The schema does not require a spec, and the code reads it everywhere: a missing spec becomes an empty one. */
export function withSpec<T extends Movement>(object: T): T {
  return (object.spec ?? undefined) === undefined ? { ...object, spec: {} } : object;
}

/** The step after a successful data path. It is either done or undone, also after a crash or an abort in the middle. */
export interface FinishingStep<T extends Movement> {
  /** Idempotent. `canceled` aborts every wait and every step before the last; {@link undo} returns how far it came. */
  run(object: T, options: { signal: AbortSignal; canceled: AbortSignal }): Promise<void>;
  /** Makes sure that the step will not be done any more, by any process; false when it is done already. Idempotent. */
  undo(object: T, signal: AbortSignal): Promise<boolean>;
  /**
   * The step has started, and nothing was cleaned up since: the data is complete, although the hosting pod may be gone already.
   */
  hasBegun(object: T, signal: AbortSignal): Promise<boolean>;
}

export function ownerOf(object: Movement): ExposeOwner {
  const { namespace = '', name = '', uid = '', creationTimestamp: createdAt } = object.metadata;
  const { apiVersion, kind } = object;
  return { apiVersion, kind, namespace, name, uid, createdAt, attempt: attemptOf(object) };
}
