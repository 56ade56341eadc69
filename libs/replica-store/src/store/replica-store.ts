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
 * One replica. One store for each folder at a time. Calls wait for each other; each is safe to repeat, and whatever dies in
 * between, the next call ends it or takes it back. All of them throw `REPLICA_GONE`, `REPLICA_FOREIGN` and `REPLICA_CORRUPT`.
 */
export interface ReplicaStore {
  create(wanted: CreateReplica, o: Call): Promise<ReplicaRecord>;
  /** As it is on disk; what is under way is in `pending`. Interrupts nothing. */
  record(o: Call): Promise<ReplicaRecord>;
  inspect(o: Call): Promise<Inspection>;
  promise(promised: Promised, o: Call): Promise<ReplicaRecord>;
  open(o: Call): Promise<ReplicaRecord>;
  serve(wanted: { generation: number; name: string }, o: Call): Promise<void>;
  /** All replicas of this generation have been compared: what kills in earlier ones have taken from this one is back. */
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
  /** The same as it was read last, while the layer is as it was then; undefined when it has to be read. Reads no data. */
  keptSumOf(snapshot: string, o: Call): Promise<string | undefined>;
  /** SHA-256 of what a snapshot reads as, in whatever layers that is; not kept. Both free their reader after an abort too. */
  contentSumOf(snapshot: string, o: Call & { bytesPerSecondMax?: number }): Promise<string>;
  /** What another replica copies, each layer after the one that it stands on. */
  sourceLayers(o: Call): Promise<readonly SourceLayer[]>;
  /** The rebuild of this replica: an empty head over nothing, to be served; then the layers; then, under a paused engine, both together. */
  beginRebuild(sizeBytes: bigint, o: Call): Promise<ReplicaRecord>;
  pullLayers(source: LayerSource, o: PullPace): Promise<void>;
  attachLayers(newest: string, o: Call): Promise<ReplicaRecord>;
  usage(o: Call): Promise<ReplicaUsage>;
  space(): Promise<ReplicaSpace>;
}

/** Does nothing until it is called. */
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
