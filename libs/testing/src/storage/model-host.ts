import { isDeepStrictEqual } from 'node:util';
import {
  type DeleteReplicaData,
  type EngineAddReplica,
  type EngineDropReplica,
  type EngineGrow,
  type EngineOf,
  type EngineSnapshot,
  type EnsureEngine,
  type EnsureFrontend,
  type EnsureReplica,
  hostError,
  type Instance,
  type InstanceEvent,
  type InstanceRef,
  type PurgeProgress,
  type RebuildProgress,
  type SnapshotOf,
  type SnapshotSumOf,
  type StopInstance,
  type SumProgress,
} from '@lateen/block-engine';
import { ModelDisk } from './model-disk.ts';
import { ModelEngine, type ModelEnginePorts } from './model-engine.ts';
import type { ModelTransferPorts, ModelTransfers } from './model-transfers.ts';
import { type RefusedReplica, replicaInstance } from './replica-instance.ts';

export interface ModelHostPorts {
  readonly node: string;
  readonly ip: string;
  readonly disks: Map<string, ModelDisk>;
  enginePorts(node: string, generation: () => number): Omit<ModelEnginePorts, 'changed'>;
  uuid(): string;
  transfers(ports: Pick<ModelTransferPorts, 'engineOf' | 'changed'>): ModelTransfers;
}

/** What runs on one node: replicas, engines and watchers. The effect of a call is immediate. */
export class ModelHost {
  readonly engines = new Map<string, ModelEngine>();
  /** Replicas that could not be served, by name. */
  readonly refused = new Map<string, RefusedReplica>();
  /** Names of all calls so far. */
  readonly calls: string[] = [];
  readonly transfers: ModelTransfers;
  readonly #ports: ModelHostPorts;
  readonly #watchers = new Set<(event: InstanceEvent) => void>();
  readonly #served = new Set<string>();
  readonly #told = new Map<string, Instance>();
  #port = 10_000;

  constructor(ports: ModelHostPorts) {
    this.#ports = ports;
    const changed = (name: string) => this.#tell('transfer', name);
    this.transfers = ports.transfers({ changed, engineOf: (of) => this.#engineOf(of) });
  }

  /** Replicas with a disk on this node. */
  get replicas(): readonly string[] {
    return [...this.#served];
  }
  ensureReplica(request: EnsureReplica): Instance {
    const { name, generation, volumeUid, mayCreate, rebuilding } = request;
    const disk = this.#diskOf(request);
    const refuse = (code: 'REPLICA_GONE' | 'REPLICA_CORRUPT' | 'REPLICA_LAGS' | 'GENERATION_OVER', message: string) => {
      this.refused.set(name, { generation, code, message });
      this.#tell('replica', name);
      return hostError(code, message);
    };
    if (disk === undefined && !mayCreate) throw refuse('REPLICA_GONE', `${request.directory} is not there`);
    const there = disk ?? new ModelDisk(name, volumeUid);
    if (there.promised > generation) throw refuse('GENERATION_OVER', `it has promised ${there.promised}`);
    if (!rebuilding && there.killedIn === generation)
      throw refuse('REPLICA_LAGS', `it was killed in start ${generation}`);
    if (!rebuilding && there.record === 'rebuilding') throw refuse('REPLICA_LAGS', 'its rebuild has not ended');
    if (!rebuilding && there.damage !== undefined) {
      // Its files are checked when they are opened, after it has promised.
      there.promised = generation;
      throw refuse('REPLICA_CORRUPT', `${name} is damaged: ${there.damage}`);
    }
    if (rebuilding) this.#beginRebuild(there, generation);
    else there.record = 'whole';
    if (there.promised < generation || there.port === 0) there.port = ++this.#port;
    there.promised = generation;
    this.#ports.disks.set(name, there);
    this.#served.add(name);
    this.refused.delete(name);
    this.#tell('replica', name);
    return this.#instance('replica', name) as Instance;
  }

  ensureEngine(request: EnsureEngine): Instance {
    const { name, generation } = request;
    const before = this.engines.get(name);
    if (before !== undefined && before.run.generation > generation) throw hostError('GENERATION_OVER', 'a later start');
    if (before?.run.generation === generation) {
      if (before.state === 'running') return this.#instance('engine', name) as Instance;
      throw hostError('GENERATION_OVER', 'it has had its start');
    }
    if (before?.state === 'running') throw hostError('ENGINE_RUNNING', `start ${before.run.generation} runs`);
    const ports = this.#ports.enginePorts(this.#ports.node, () => generation);
    const changed = () => {
      this.#tell('engine', name);
      this.#tell('frontend', name);
    };
    const engine = new ModelEngine(request, this.#ports.uuid(), { ...ports, changed });
    if (!ports.records.claim(engine.run)) throw hostError('GENERATION_OVER', 'the start is claimed, or over');
    this.engines.set(name, engine);
    this.#tell('engine', name);
    return this.#instance('engine', name) as Instance;
  }

  ensureFrontend({ engine, generation }: EnsureFrontend): Instance {
    this.#engineOf({ engine, generation }).frontend = true;
    this.#tell('frontend', engine);
    return this.#instance('frontend', engine) as Instance;
  }

  stop({ kind, name, generation }: StopInstance): { readonly clean: boolean } {
    if (kind === 'replica') {
      const disk = this.#ports.disks.get(name);
      if (disk !== undefined && disk.promised > generation) throw hostError('GENERATION_OVER', 'a later promise');
      disk?.close();
      this.refused.delete(name);
      this.#tell('replica', name);
      return { clean: true };
    }
    const engine = this.engines.get(name);
    if (engine !== undefined && engine.run.generation > generation) throw hostError('GENERATION_OVER', 'a later start');
    if (kind === 'engine') engine?.stop();
    else if (engine !== undefined) engine.frontend = false;
    this.#tell(kind, name);
    return { clean: engine?.cleanStop ?? true };
  }

  deleteReplicaData({ replica, volumeUid }: DeleteReplicaData): void {
    const disk = this.#ports.disks.get(replica);
    if (disk !== undefined && disk.volumeUid !== volumeUid) throw hostError('REPLICA_FOREIGN', 'of another volume');
    if (disk !== undefined && disk.port > 0) throw hostError('INSTANCE_RUNNING', 'it serves');
    this.#ports.disks.delete(replica);
    this.#served.delete(replica);
    this.refused.delete(replica);
    this.#tell('replica', replica);
  }

  engineSnapshot(request: EngineSnapshot): { readonly replicas: readonly string[] } {
    const { snapshot: name, created, userCreated, labels } = request;
    const replicas = this.#engineOf(request).eachDisk(({ snapshots, written }) => {
      const isThere = snapshots.some((each) => each.name === name);
      if (!isThere) snapshots.push({ name, created, userCreated, labels, removed: false, ids: new Set(written) });
    });
    if (replicas.length === 0) throw hostError('NOT_POSSIBLE_NOW', 'no replica has it');
    return { replicas };
  }

  engineSnapshotDelete({ snapshot, ...of }: SnapshotOf): void {
    this.#engineOf(of).eachDisk(({ snapshots }) => {
      for (const each of snapshots) if (each.name === snapshot) each.removed = true;
    });
  }

  enginePurge(of: EngineOf, signal: AbortSignal): AsyncGenerator<PurgeProgress> {
    return this.#engineOf(of).purge(signal);
  }

  async *snapshotSum(of: SnapshotSumOf): AsyncGenerator<SumProgress> {
    const disk = this.#served.has(of.replica) ? this.#ports.disks.get(of.replica) : undefined;
    if (disk === undefined || disk.port === 0) throw hostError('INSTANCE_NOT_FOUND', `${of.replica} does not run`);
    yield { doneBytes: 1n, totalBytes: 1n, sum: disk.sumOf(of) };
  }

  engineAddReplica(request: EngineAddReplica, signal: AbortSignal): AsyncGenerator<RebuildProgress> {
    return this.#engineOf(request).add(request, signal);
  }

  engineDropReplica({ replica, message, ...of }: EngineDropReplica): void {
    const engine = this.#engineOf(of);
    if (engine.modes.has(replica)) engine.fail(replica, message);
  }

  engineGrow({ sizeBytes, ...of }: EngineGrow): void {
    this.#engineOf(of).sizeBytes = sizeBytes;
    this.#tell('engine', of.engine);
  }

  /** Every process dies; flushed writes remain. */
  kill(): void {
    this.transfers.kill();
    for (const engine of this.engines.values()) engine.kill();
    for (const name of this.#served) this.killReplica(name);
    this.engines.clear();
  }

  killReplica(name: string): void {
    this.#ports.disks.get(name)?.kill();
    this.#tell('replica', name);
  }

  /** Sends the current state to the watcher, and each change from then on. Returns a function that ends this. */
  watch(onEvent: (event: InstanceEvent) => void): () => void {
    for (const instance of this.instances()) onEvent({ type: 'changed', instance });
    onEvent({ type: 'synced' });
    this.#watchers.add(onEvent);
    return () => this.#watchers.delete(onEvent);
  }

  instances(): Instance[] {
    const refs: InstanceRef[] = [];
    for (const name of new Set([...this.#served, ...this.refused.keys()])) refs.push({ kind: 'replica', name });
    for (const name of this.engines.keys()) refs.push({ kind: 'engine', name }, { kind: 'frontend', name });
    for (const name of this.transfers.names) refs.push({ kind: 'transfer', name });
    return refs.flatMap(({ kind, name }) => this.#instance(kind, name) ?? []);
  }

  /** Unchanged state is not sent again. */
  #tell(kind: InstanceRef['kind'], name: string): void {
    const instance = this.#instance(kind, name);
    const key = `${kind}/${name}`;
    if (isDeepStrictEqual(this.#told.get(key), instance)) return;
    if (instance === undefined) this.#told.delete(key);
    else this.#told.set(key, instance);
    const gone = { type: 'gone', instance: { kind, name } } as const;
    for (const tell of this.#watchers) tell(instance === undefined ? gone : { type: 'changed', instance });
  }

  #instance(kind: InstanceRef['kind'], name: string): Instance | undefined {
    if (kind === 'transfer') return this.transfers.instance(name);
    if (kind === 'replica') return replicaInstance(name, this.#ports.disks.get(name), this.refused.get(name));
    const engine = this.engines.get(name);
    if (engine === undefined) return undefined;
    const { uuid, run, state, request } = engine;
    const common = { name, volume: request.volume, generation: run.generation, uuid };
    if (kind === 'engine') return { ...common, kind, state, engine: engine.facts() };
    if (!engine.frontend) return undefined;
    return { ...common, kind: 'frontend', state: 'running', endpoint: `/dev/longhorn/${request.volume}` };
  }

  /** A head that lacks writes is discarded; a replica that is being rebuilt for this start continues. */
  #beginRebuild(disk: ModelDisk, generation: number): void {
    if (disk.promised === generation && disk.killedIn === undefined && disk.damage === undefined) return;
    disk.written.clear();
    disk.flushed.clear();
    disk.killedIn = undefined;
    disk.damage = undefined;
    disk.record = 'rebuilding';
  }

  #diskOf({ name, volumeUid }: EnsureReplica): ModelDisk | undefined {
    const disk = this.#ports.disks.get(name);
    if (disk !== undefined && disk.volumeUid !== volumeUid) throw hostError('REPLICA_FOREIGN', 'of another volume');
    return disk;
  }

  #engineOf({ engine, generation }: EngineOf): ModelEngine {
    const found = this.engines.get(engine);
    if (found === undefined || found.state !== 'running')
      throw hostError('INSTANCE_NOT_FOUND', `${engine} does not run`);
    if (found.run.generation !== generation) throw hostError('GENERATION_OVER', `start ${found.run.generation} runs`);
    return found;
  }
}
