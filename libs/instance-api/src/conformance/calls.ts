import type { InstanceHost, ReplicaControl } from '@lateen/block-engine';
import fc, { type Arbitrary } from 'fast-check';
import * as any from './arbitrary-messages.ts';

const { text, bytes, number, flag } = any;
const engineOf = { engine: text, generation: number };
const readerOf = { replica: text, snapshot: text, layerAlone: flag, reader: text };
const copied = { doneBytes: bytes, totalBytes: bytes };
const nothing = fc.constant(undefined);

export interface CallSample {
  request: Arbitrary<unknown>;
  /** Of one message where the answer is a stream. */
  answer: Arbitrary<unknown>;
  streams?: true;
}

/** Each call of the port but `watch`, with everything that may go in and come out. */
export const calls = {
  info: { request: nothing, answer: any.info },
  ensureReplica: {
    request: fc.record({
      name: text,
      volume: text,
      volumeUid: text,
      directory: text,
      sizeBytes: bytes,
      generation: number,
      mayCreate: flag,
      rebuilding: flag,
    }),
    answer: any.instance,
  },
  ensureEngine: { request: any.ensureEngine, answer: any.instance },
  ensureFrontend: {
    request: fc.record({
      name: text,
      volume: text,
      engine: text,
      generation: number,
      sizeBytes: bytes,
      readOnly: flag,
    }),
    answer: any.instance,
  },
  stop: {
    request: fc.record({ kind: any.anyKind, name: text, generation: number }),
    answer: fc.record({ clean: flag }),
  },
  promiseGeneration: {
    request: fc.record({ replica: text, volumeUid: text, directory: text, generation: number }),
    answer: fc.record({ promisedGeneration: number }),
  },
  deleteReplicaData: { request: fc.record({ replica: text, volumeUid: text, directory: text }), answer: nothing },
  engineSnapshot: {
    request: fc.record({
      ...engineOf,
      snapshot: text,
      userCreated: flag,
      created: text,
      labels: any.texts,
      freeze: flag,
    }),
    answer: fc.record({ replicas: any.list(text) }),
  },
  engineAddReplica: {
    request: fc.record({
      ...engineOf,
      replica: any.address,
      managers: any.texts,
      fast: flag,
      bytesPerSecond: any.maybeBytes,
      copiesAtOnce: number,
    }),
    answer: any.rebuild,
    streams: true,
  },
  engineDropReplica: {
    request: fc.record({ ...engineOf, replica: text, cause: text, message: text }),
    answer: nothing,
  },
  engineGrow: { request: fc.record({ ...engineOf, sizeBytes: bytes }), answer: nothing },
  engineRevert: { request: fc.record({ ...engineOf, snapshot: text }), answer: nothing },
  engineTrim: { request: fc.record(engineOf), answer: fc.record({ freedBytes: bytes }) },
  engineSnapshotDelete: { request: fc.record({ ...engineOf, snapshot: text }), answer: nothing },
  enginePurge: { request: fc.record(engineOf), answer: any.purge, streams: true },
  snapshotSum: {
    request: fc.record({
      replica: text,
      snapshot: text,
      layerAlone: flag,
      onlyChanged: any.maybeFlag,
      bytesPerSecond: any.maybeBytes,
    }),
    answer: fc.record({ ...copied, sum: any.maybeText }),
    streams: true,
  },
  openSnapshot: {
    request: fc.record(readerOf),
    answer: fc.record({
      export: text,
      port: number,
      unixPath: any.maybeText,
      sizeBytes: bytes,
      leaseMs: number,
      chain: fc.array(text),
    }),
  },
  closeSnapshot: { request: fc.record(readerOf), answer: nothing },
  startBackup: { request: any.startBackup, answer: any.transfer, streams: true },
  startRestore: { request: any.startRestore, answer: any.transfer, streams: true },
  startClone: { request: any.startClone, answer: any.transfer, streams: true },
  inspectDisk: { request: text, answer: any.disk },
  registerDisk: { request: fc.record({ path: text, uuid: text }), answer: nothing },
  listReplicaFolders: { request: text, answer: any.folder, streams: true },
} as const satisfies Record<Exclude<keyof InstanceHost, 'watch'>, CallSample>;

const replicaOf = { replica: text, volumeUid: text, generation: number };
const snapshotRequest = fc.record({
  ...replicaOf,
  snapshot: text,
  userCreated: flag,
  created: text,
  labels: any.texts,
});

/** The same of what engines ask. */
export const controlCalls = {
  layers: { request: fc.record(replicaOf), answer: any.replicaLayers },
  prepareSnapshot: { request: snapshotRequest, answer: nothing },
  snapshot: { request: snapshotRequest, answer: nothing },
  cancelSnapshot: { request: fc.record(replicaOf), answer: nothing },
  revert: { request: fc.record({ ...replicaOf, snapshot: text }), answer: nothing },
  markRemoved: { request: fc.record({ ...replicaOf, snapshot: text }), answer: nothing },
  purge: { request: fc.record(replicaOf), answer: any.purge, streams: true },
  grow: { request: fc.record({ ...replicaOf, sizeBytes: bytes }), answer: nothing },
  beginRebuild: { request: fc.record({ ...replicaOf, sizeBytes: bytes }), answer: nothing },
  copyLayers: {
    request: any.copyLayers,
    answer: fc.record({ snapshot: text, layer: number, layers: number, ...copied, skipped: flag, sum: any.maybeText }),
    streams: true,
  },
  attachLayers: { request: fc.record({ ...replicaOf, snapshot: text }), answer: nothing },
  compared: { request: fc.record(replicaOf), answer: nothing },
} as const satisfies Record<keyof ReplicaControl, CallSample>;
