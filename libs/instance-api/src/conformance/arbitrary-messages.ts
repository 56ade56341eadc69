import {
  type CopyLayers,
  type DiskFacts,
  type EngineState,
  type EnsureEngine,
  type HostInfo,
  hostInstanceStates,
  type Instance,
  type InstanceError,
  type InstanceEvent,
  type InstanceRef,
  instanceKinds,
  type PurgeProgress,
  type RebuildProgress,
  type ReplicaAddress,
  type ReplicaFacts,
  type ReplicaFolder,
  type ReplicaLayer,
  type ReplicaLayers,
  type SnapshotFact,
  type StartBackup,
  type StartClone,
  type StartRestore,
  type TransferProgress,
} from '@lateen/block-engine';
import fc, { type Arbitrary } from 'fast-check';

/** Everything that the port's messages may hold: empty texts, numbers at their ends, fields that are absent. */
type Model<Message> = { [Field in keyof Required<Message>]: Arbitrary<Message[Field]> };
const of = <Message>(model: Model<Message>): Arbitrary<Message> => fc.record(model) as unknown as Arbitrary<Message>;
const maybe = <Value>(value: Arbitrary<Value>): Arbitrary<Value | undefined> => fc.option(value, { nil: undefined });

export const text = fc.string({ maxLength: 12 });
export const bytes = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
export const number = fc.nat({ max: 2 ** 32 - 1 });
export const flag = fc.boolean();
const atMs = fc.nat({ max: Number.MAX_SAFE_INTEGER });
export const texts = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), text, {
  maxKeys: 3,
  noNullPrototype: true,
});
export const list = <Value>(value: Arbitrary<Value>): Arbitrary<Value[]> => fc.array(value, { maxLength: 3 });

const error = of<InstanceError>({ code: text, message: text, nextStep: maybe(text) });
const kind = fc.constantFrom(...instanceKinds);
const ref = of<InstanceRef>({ kind, name: text });
const snapshotModel: Model<SnapshotFact> = {
  name: text,
  parent: maybe(text),
  children: list(text),
  removed: flag,
  userCreated: flag,
  created: text,
  sizeBytes: bytes,
  labels: texts,
  sum: maybe(text),
};
const snapshot = of<SnapshotFact>(snapshotModel);
export const replicaLayers = of<ReplicaLayers>({
  sizeBytes: bytes,
  recordState: text,
  headParent: maybe(text),
  headBytes: bytes,
  layers: list(of<ReplicaLayer>({ ...snapshotModel, volumeBytes: bytes })),
});
export const rebuild = of<RebuildProgress>({
  replica: text,
  step: text,
  from: maybe(text),
  layer: number,
  layers: number,
  doneBytes: bytes,
  totalBytes: bytes,
  error: maybe(error),
});
export const purge = of<PurgeProgress>({
  replica: text,
  snapshot: maybe(text),
  doneBytes: bytes,
  totalBytes: bytes,
  error: maybe(error),
});
export const transfer = of<TransferProgress>({
  name: text,
  doneBytes: bytes,
  totalBytes: bytes,
  ended: flag,
  error: maybe(error),
  url: maybe(text),
  storedBytes: maybe(bytes),
});
const engineState = of<EngineState>({
  modes: texts,
  failures: list(of({ replica: text, cause: text, message: text, atMs, recorded: flag })),
  holding: flag,
  holdingSinceMs: maybe(atMs),
  paused: flag,
  sizeBytes: bytes,
  rebuild: maybe(rebuild),
  purge: maybe(purge),
  cleanStop: flag,
  readPrimary: maybe(text),
  snapshots: list(snapshot),
  snapshotsError: maybe(text),
  noRoom: maybe(of({ replica: text, message: text, atMs })),
});
const replicaFacts = of<ReplicaFacts>({
  actualBytes: bytes,
  promisedGeneration: number,
  recordState: text,
  killedGeneration: maybe(number),
  snapshots: list(snapshot),
});
export const instance = of<Instance>({
  kind,
  name: text,
  volume: text,
  generation: number,
  state: fc.constantFrom(...hostInstanceStates),
  error: maybe(error),
  uuid: text,
  port: maybe(number),
  endpoint: maybe(text),
  engine: maybe(engineState),
  replica: maybe(replicaFacts),
  transfer: maybe(transfer),
});
export const event: Arbitrary<InstanceEvent> = fc.oneof(
  instance.map((changed) => ({ type: 'changed' as const, instance: changed })),
  ref.map((gone) => ({ type: 'gone' as const, instance: gone })),
  fc.constant({ type: 'synced' as const }),
  atMs.map((ms) => ({ type: 'heartbeat' as const, atMs: ms })),
);

export const disk = of<DiskFacts>({
  path: text,
  uuid: maybe(text),
  filesystemId: text,
  filesystemType: text,
  maximumBytes: bytes,
  availableBytes: bytes,
  directIo: flag,
  sparseFiles: flag,
  error: maybe(error),
});
export const info = of<HostInfo>({
  apiMin: number,
  apiMax: number,
  version: text,
  node: text,
  qsdVersion: text,
  frontends: list(text),
  probes: list(of({ name: text, ok: flag, message: text, nextStep: maybe(text) })),
  disks: list(disk),
});
export const folder = of<ReplicaFolder>({
  directory: text,
  volume: maybe(text),
  volumeUid: maybe(text),
  replica: maybe(text),
  actualBytes: bytes,
  problem: maybe(text),
});

export const address = of<ReplicaAddress>({
  replica: text,
  host: text,
  port: number,
  local: flag,
  unixPath: maybe(text),
});
export const ensureEngine = of<EnsureEngine>({
  name: text,
  volume: text,
  volumeUid: text,
  generation: number,
  sizeBytes: bytes,
  replicas: list(address),
  readPrimary: maybe(text),
  replyTimeoutMs: number,
  compareHeads: flag,
  record: of({ namespace: text, engine: text, engineUid: text, replicas: texts }),
});
const target = of({ url: text, secret: texts });
export const startBackup = of<StartBackup>({
  backup: text,
  transfer: maybe(text),
  volume: text,
  replica: text,
  snapshot: text,
  mode: text,
  target,
  blockBytes: bytes,
  compression: text,
  labels: texts,
  volumeFacts: texts,
  workers: number,
  detached: flag,
});
export const startRestore = of<StartRestore>({
  restore: text,
  volume: text,
  engine: text,
  generation: number,
  backup: text,
  backupVolume: text,
  since: maybe(text),
  begun: maybe(text),
  isNew: flag,
  target,
  workers: number,
  detached: flag,
});
export const startClone = of<StartClone>({
  clone: text,
  volume: text,
  engine: text,
  generation: number,
  sourceVolume: text,
  sourceReplica: text,
  sourceManager: text,
  snapshot: text,
  isNew: flag,
  detached: flag,
});
export const copyLayers = of<CopyLayers>({
  replica: text,
  volumeUid: text,
  generation: number,
  sourceReplica: text,
  sourceManager: text,
  fast: flag,
  bytesPerSecond: maybe(bytes),
  copiesAtOnce: number,
});
export const anyKind = kind;
export const maybeText = maybe(text);
export const maybeFlag = maybe(flag);
export const maybeBytes = maybe(bytes);
