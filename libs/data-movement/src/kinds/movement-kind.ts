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

/** Fields of status to write; null takes one away. */
export type MovementPatch<T extends Movement> = { [K in keyof MovementStatus<T>]?: MovementStatus<T>[K] | null };

/**
 * Where the kinds of movements differ. Everything else (phases, ownership, cancel, restart, clean-up) is one piece of code for
 * all of them.
 */
export interface MovementKind<T extends Movement> {
  type: ResourceType<T>;
  /** As messages of Velero spell it: `data upload`. */
  words: string;
  /** The same where it is not prepared in time: `timeout on preparing PVB`. */
  shortWords: string;
  /** `backup` or `restore`; in `data path backup failed: …`. */
  verb: string;
  /** Its place in the lines for slots and for room to prepare. */
  rank: Rank;
  /** Holds the object until everything that was made for it has been taken away. */
  finalizer: string;
  /** Its movers write the volume, so there must never be two of them (docs/adr/0018). */
  writesVolume: boolean;
  owner: Ownership<T>;
  /** The running pod whose volume it is, where it is one's. */
  client?: ClientOf<T>;
  /** It is for a data mover that is not ours. */
  isForAnother(object: T): boolean;
  /** Which repository its data is in. @throws UPLOADER_TYPE_UNKNOWN */
  repositoryOf(object: T): Omit<BackupRepositoryKey, 'namespace'>;
  /** Begins the message when the exposure fails. */
  exposeFailure: string;
  /** Makes the volume reachable by a hosting pod. Idempotent; resolves before the pod runs. */
  expose(object: T, signal: AbortSignal): Promise<void>;
  /** Why the exposure is not ready yet, if that can be seen. */
  diagnose(object: T, signal: AbortSignal): Promise<string | undefined>;
  /** Takes away all that `expose` made. Idempotent. */
  cleanUp(object: T, signal: AbortSignal): Promise<void>;
  startPath(path: AsyncBR<HostingPod, undefined>, object: T): Promise<void>;
  /** What has to happen between the end of a good data path and Completed, if anything. */
  finish?: FinishingStep<T>;
  /** Status fields beside phase and times. */
  startedStatus(): Partial<MovementStatus<T>>;
  /** Its status says how fast it goes (`throughput`). */
  tellsThroughput: boolean;
  completedStatus(result: BackupResult | RestoreResult): Partial<MovementStatus<T>>;
}

/** The schema does not ask for a spec, and everything reads it: one that is missing is an empty one. */
export function withSpec<T extends Movement>(object: T): T {
  return (object.spec ?? undefined) === undefined ? { ...object, spec: {} } : object;
}

/** What follows a good data path. It is either done or undone, whoever dies or gives up in the middle. */
export interface FinishingStep<T extends Movement> {
  /** Idempotent. `canceled` aborts every wait and every step before the last; {@link undo} tells how far it came. */
  run(object: T, options: { signal: AbortSignal; canceled: AbortSignal }): Promise<void>;
  /** Sees to it that it will not be done any more, by nobody; false when it is done already. Idempotent. */
  undo(object: T, signal: AbortSignal): Promise<boolean>;
  /** It has begun, and nothing was cleaned up since: the data is complete, although the hosting pod may be gone already. */
  hasBegun(object: T, signal: AbortSignal): Promise<boolean>;
}

export function ownerOf(object: Movement): ExposeOwner {
  const { namespace = '', name = '', uid = '', creationTimestamp: createdAt } = object.metadata;
  const { apiVersion, kind } = object;
  return { apiVersion, kind, namespace, name, uid, createdAt, attempt: attemptOf(object) };
}
