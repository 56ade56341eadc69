import type { Clock, Logger } from '@lateen/kernel';
import type { ReplicaBlocks } from '../blocks/replica-blocks.ts';
import type { Call } from '../call.ts';
import type { SourceLayer } from '../copy/plan-copy.ts';
import { sourceLayers } from '../copy/plan-copy.ts';
import { attachLayers, beginRebuild, type LayerSource, type PullPace, pullLayers } from '../copy/rebuild.ts';
import { contentSumOf, keptSumOf, sumOf } from '../copy/snapshot-sum.ts';
import type { ReplicaIdentity } from '../record/record-create.ts';
import type { Promised } from '../record/record-promise.ts';
import type { NewSnapshot } from '../record/record-snapshot.ts';
import type { ReplicaRecord } from '../record/replica-record.ts';
import { type CreateReplica, createReplica } from './create.ts';
import { type Inspection, inspectLayers } from './inspect.ts';
import { noteCompared } from './kill.ts';
import { type PurgeProgress, type PurgeResult, purgeRemoved } from './purge.ts';
import { type LayerReader, type OpenReader, openReader } from './readers.ts';
import { Replica } from './replica.ts';
import { type ReplicaFiles, ReplicaFolder } from './replica-folder.ts';
import { closeReplica, openReplica, promiseGeneration, serveHead } from './serve.ts';
import { cancelSnapshot, growTo, prepareSnapshot, removeSnapshot, revertTo, takeSnapshot } from './snapshots.ts';
import { type ReplicaSpace, type ReplicaUsage, replicaSpace, replicaUsage } from './usage.ts';

export interface ReplicaStoreOptions {
  /** Absolute. */
  readonly directory: string;
  readonly identity: ReplicaIdentity;
  readonly files: ReplicaFiles;
  readonly blocks: ReplicaBlocks;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * One replica. There must be only one store for each folder at a time. Calls run one after the other; each is safe to repeat. If
 * a process dies during a call, the next call finishes it or undoes it. All calls throw `REPLICA_GONE`, `REPLICA_FOREIGN` and
 * `REPLICA_CORRUPT`.
 */
export interface ReplicaStore {
  create(wanted: CreateReplica, o: Call): Promise<ReplicaRecord>;
  /** The record as it is on disk; unfinished steps are in `pending`. Interrupts nothing. */
  record(o: Call): Promise<ReplicaRecord>;
  inspect(o: Call): Promise<Inspection>;
  promise(promised: Promised, o: Call): Promise<ReplicaRecord>;
  open(o: Call): Promise<ReplicaRecord>;
  serve(wanted: { generation: number; name: string }, o: Call): Promise<void>;
  /**
   * All replicas of this generation have been compared: writes that this replica lost in kills of earlier generations are back.
   */
  compared(generation: number, o: Call): Promise<ReplicaRecord>;
  close(o: Call): Promise<void>;
  prepareSnapshot(snapshot: NewSnapshot, o: Call): Promise<void>;
  snapshot(snapshot: NewSnapshot, o: Call): Promise<void>;
  cancelSnapshot(o: Call): Promise<void>;
  revert(snapshot: string, o: Call): Promise<void>;
  markRemoved(snapshot: string, o: Call): Promise<void>;
  purge(o: Call & { onProgress?(progress: PurgeProgress): void }): Promise<PurgeResult>;
  grow(sizeBytes: bigint, o: Call): Promise<void>;
  openReader(wanted: OpenReader, o: Call): Promise<LayerReader>;
  /** SHA-256 of what a snapshot's own layer holds; kept in the record. */
  sumOf(snapshot: string, o: Call & { bytesPerSecondMax?: number }): Promise<string>;
  /** The sum that was read last, as long as the layer has not changed since; undefined when it has to be read. Reads no data. */
  keptSumOf(snapshot: string, o: Call): Promise<string | undefined>;
  /**
   * SHA-256 of a snapshot's content through all its layers; not stored. `sumOf` and this call close their reader after an
   * abort too.
   */
  contentSumOf(snapshot: string, o: Call & { bytesPerSecondMax?: number }): Promise<string>;
  /** What another replica copies; each layer comes after its parent. */
  sourceLayers(o: Call): Promise<readonly SourceLayer[]>;
  /**
   * The rebuild of this replica: first an empty head with no layer below it, which is served; then the layers; then, while the
   * engine is paused, both are joined.
   */
  beginRebuild(sizeBytes: bigint, o: Call): Promise<ReplicaRecord>;
  pullLayers(source: LayerSource, o: PullPace): Promise<void>;
  attachLayers(newest: string, o: Call): Promise<ReplicaRecord>;
  usage(o: Call): Promise<ReplicaUsage>;
  space(): Promise<ReplicaSpace>;
}

/** Opens nothing before its first call. */
export function replicaStore({ directory, identity, files, ...ports }: ReplicaStoreOptions): ReplicaStore {
  const folder = new ReplicaFolder(files, directory, identity);
  const replica = new Replica({ ...ports, folder });
  return {
    create: (wanted, o) => createReplica(replica, wanted, o),
    record: (o) => replica.known(o),
    inspect: (o) => replica.exclusive(o, () => inspectLayers(replica.ports, replica.record, o)),
    promise: (promised, o) => promiseGeneration(replica, promised, o),
    open: (o) => openReplica(replica, o),
    serve: (wanted, o) => serveHead(replica, wanted, o),
    compared: (generation, o) => noteCompared(replica, generation, o),
    close: (o) => closeReplica(replica, o),
    prepareSnapshot: (wanted, o) => prepareSnapshot(replica, wanted, o),
    snapshot: (wanted, o) => takeSnapshot(replica, wanted, o),
    cancelSnapshot: (o) => cancelSnapshot(replica, o),
    revert: (name, o) => revertTo(replica, name, o),
    markRemoved: (name, o) => removeSnapshot(replica, name, o),
    purge: (o) => purgeRemoved(replica, o),
    grow: (sizeBytes, o) => growTo(replica, sizeBytes, o),
    openReader: (wanted, o) => openReader(replica, wanted, o),
    sumOf: (snapshot, o) => sumOf(replica, snapshot, o),
    keptSumOf: (snapshot, o) => keptSumOf(replica, snapshot, o),
    contentSumOf: (snapshot, o) => contentSumOf(replica, snapshot, o),
    sourceLayers: async (o) => sourceLayers(await replica.known(o)),
    beginRebuild: (sizeBytes, o) => beginRebuild(replica, sizeBytes, o),
    pullLayers: (source, o) => pullLayers(replica, source, o),
    attachLayers: (newest, o) => attachLayers(replica, newest, o),
    usage: async (o) => replicaUsage(folder, await replica.known(o)),
    space: () => replicaSpace(folder),
  };
}
