import {
  type EngineAddReplica,
  type EngineState,
  type EnsureEngine,
  hostError,
  type PurgeProgress,
  type RebuildProgress,
} from '@lateen/block-engine';
import type { Clock } from '@lateen/kernel';
import type { ModelDisk, ModelSnapshot } from './model-disk.ts';
import type { ModelRecords, ModelRun } from './model-records.ts';

export interface ModelEnginePorts {
  readonly clock: Clock;
  readonly records: ModelRecords;
  /** The disk of a replica if this engine can reach it under its generation; otherwise undefined. */
  reach(replica: string): ModelDisk | undefined;
  /** Called when its state has changed. */
  changed(): void;
}

/** Duration of a rebuild in ms, and its number of steps. */
export const modelRebuild = { ms: 20_000, steps: 4 } as const;

/** Duration of a purge on each replica in ms. */
const modelPurgeMs = 100;

/** One start of an engine: all replicas of its set have each acknowledged write, and failures are recorded before any acknowledgement. */
export class ModelEngine {
  readonly request: EnsureEngine;
  readonly run: ModelRun;
  readonly uuid: string;
  readonly modes = new Map<string, 'RW' | 'WO'>();
  readonly failures = new Map<string, string>();
  state: 'running' | 'stopped' | 'error' = 'running';
  cleanStop = false;
  frontend = false;
  sizeBytes: bigint;
  rebuild: RebuildProgress | undefined;
  #purge: PurgeProgress | undefined;
  /** Number of started rebuilds: each takes a snapshot. */
  #rebuilds = 0;
  readonly #ports: ModelEnginePorts;

  constructor(request: EnsureEngine, uuid: string, ports: ModelEnginePorts) {
    this.request = request;
    this.uuid = uuid;
    this.#ports = ports;
    this.sizeBytes = request.sizeBytes;
    const { namespace, engine, engineUid } = request.record;
    this.run = { namespace, engine, engineUid, generation: request.generation };
    for (const { replica } of request.replicas) this.modes.set(replica, 'RW');
    if (request.compareHeads) this.#compare();
  }

  /** The state of the engine as its host reports it. */
  facts(): EngineState {
    const snapshots = this.snapshots();
    const names = [...snapshots.map(({ name }) => name), 'volume-head'];
    return {
      modes: Object.fromEntries(this.modes),
      failures: [...this.failures].map(([replica, message]) => {
        return { replica, cause: 'lost', message, atMs: 0, recorded: true };
      }),
      holding: false,
      paused: false,
      sizeBytes: this.sizeBytes,
      ...(this.rebuild === undefined ? {} : { rebuild: this.rebuild }),
      ...(this.#purge === undefined ? {} : { purge: this.#purge }),
      cleanStop: this.cleanStop,
      snapshots: names.map((name, index) => {
        const { created = '', userCreated = false, labels = {}, removed = false } = snapshots[index] ?? {};
        const parent = index === 0 ? '' : (names[index - 1] ?? '');
        const children = names.slice(index + 1, index + 2);
        return { name, parent, children, removed, userCreated, created, labels, sizeBytes: 4096n };
      }),
    };
  }

  snapshots(): readonly ModelSnapshot[] {
    return this.#any()?.snapshots ?? [];
  }

  /** True when the write is acknowledged: every replica of the set has it, and the failure of each other one is recorded. */
  write(id: number): boolean {
    if (this.state !== 'running') return false;
    const lost: string[] = [];
    for (const name of this.modes.keys()) {
      const disk = this.#ports.reach(name);
      if (disk === undefined) lost.push(name);
      else disk.written.add(id);
    }
    return lost.every((name) => this.fail(name, 'it does not answer')) && this.state === 'running';
  }

  /** Records that a replica has failed; the last complete one is not dropped, because its failure ends the engine. */
  fail(replica: string, cause: string): boolean {
    const others = [...this.modes].some(([name, mode]) => name !== replica && mode === 'RW');
    if (!others && this.modes.get(replica) === 'RW') return this.#end();
    const answer = this.#ports.records.failure(this.run, replica, cause);
    if (answer === 'over') return this.#end();
    if (answer === 'away') return false;
    this.modes.delete(replica);
    this.failures.set(replica, cause);
    if (this.rebuild?.replica === replica) this.rebuild = undefined;
    this.#ports.changed();
    return true;
  }

  async *add({ replica: { replica } }: EngineAddReplica, signal: AbortSignal): AsyncGenerator<RebuildProgress> {
    const { records, clock } = this.#ports;
    if (this.modes.get(replica) === 'RW') return;
    if (this.rebuild !== undefined) throw hostError('ABORTED', `replica ${this.rebuild.replica} is being rebuilt`);
    if (this.#ports.reach(replica) === undefined) throw hostError('HOST_UNREACHABLE', `${replica} does not answer`);
    if (!records.rebuild(this.run, replica, undefined, 'WO'))
      throw hostError('NOT_POSSIBLE_NOW', `${replica} cannot be recorded as being rebuilt`);
    this.modes.set(replica, 'WO');
    this.failures.delete(replica);
    const snapshot = `rebuild-${replica}-${this.#rebuilds++}`;
    const facts = { name: snapshot, created: '', userCreated: false, labels: {}, removed: false };
    this.eachDisk(({ snapshots, written }) => void snapshots.push({ ...facts, ids: new Set(written) }));
    try {
      for (let step = 0; step < modelRebuild.steps; step++) {
        yield this.#progress(replica, step);
        await clock.sleep(modelRebuild.ms / modelRebuild.steps, signal);
        this.#stillRebuilt(replica);
      }
      const source = [...this.modes].find(([, mode]) => mode === 'RW')?.[0] ?? '';
      const [from, to] = [this.#ports.reach(source), this.#ports.reach(replica)];
      if (from === undefined || to === undefined) throw hostError('HOST_UNREACHABLE', `${source} does not answer`);
      to.copy(from);
      while (!records.rebuild(this.run, replica, 'WO', 'RW')) {
        this.#stillRebuilt(replica);
        await clock.sleep(1_000, signal);
      }
      this.modes.set(replica, 'RW');
    } finally {
      this.rebuild = undefined;
      this.#ports.changed();
    }
  }

  /**
   * Merges removed snapshots, and those that only a rebuild has created, on one replica after the other; the parent of the head remains. The
   * new snapshots are reported at the end.
   */
  async *purge(signal: AbortSignal): AsyncGenerator<PurgeProgress> {
    const { clock, changed } = this.#ports;
    if (this.rebuild !== undefined) throw hostError('NOT_POSSIBLE_NOW', `${this.rebuild.replica} is being rebuilt`);
    try {
      for (const replica of this.modes.keys()) {
        this.#purge = { replica, doneBytes: 0n, totalBytes: 1n };
        changed();
        yield this.#purge;
        await clock.sleep(modelPurgeMs, signal);
      }
      this.eachDisk(({ snapshots }) => {
        for (const each of snapshots) if (!each.userCreated) each.removed = true;
        const staying = snapshots.filter(({ removed }, index) => !removed || index === snapshots.length - 1);
        snapshots.splice(0, snapshots.length, ...staying);
      });
    } finally {
      this.#purge = undefined;
      changed();
    }
  }

  /** A clean stop: everything is flushed, and every write is on every replica. */
  stop(): void {
    if (this.state !== 'running') return;
    const all = [...this.modes.keys()].map((name) => this.#ports.reach(name));
    this.cleanStop = all.every((disk) => disk !== undefined) && this.rebuild === undefined;
    for (const disk of all) for (const id of disk?.written ?? []) disk?.flushed.add(id);
    this.state = 'stopped';
    this.frontend = false;
    this.#ports.changed();
  }

  kill(): void {
    if (this.state === 'running') this.#end();
  }

  /** Runs `act` on all reachable replicas, and returns their names. */
  eachDisk(act: (disk: ModelDisk) => void): readonly string[] {
    const reached = [...this.modes.keys()].filter((name) => this.#ports.reach(name) !== undefined);
    for (const name of reached) act(this.#ports.reach(name) as ModelDisk);
    this.#ports.changed();
    return reached;
  }

  #end(): false {
    this.state = 'error';
    this.frontend = false;
    this.#ports.changed();
    return false;
  }

  #any(): ModelDisk | undefined {
    const whole = [...this.modes].filter(([, mode]) => mode === 'RW');
    return whole.map(([name]) => this.#ports.reach(name)).find((disk) => disk !== undefined);
  }

  #progress(replica: string, step: number): RebuildProgress {
    const { steps } = modelRebuild;
    const [doneBytes, totalBytes] = [BigInt(step) * 1024n, BigInt(steps) * 1024n];
    this.rebuild = { replica, step: 'copying', layer: 1, layers: 1, doneBytes, totalBytes };
    this.#ports.changed();
    return this.rebuild;
  }

  #stillRebuilt(replica: string): void {
    if (this.state !== 'running') throw hostError('INSTANCE_NOT_FOUND', 'the engine has ended');
    if (this.modes.get(replica) !== 'WO') throw hostError('NOT_POSSIBLE_NOW', `${replica} has been dropped`);
    if (this.#ports.reach(replica) !== undefined) return;
    this.fail(replica, 'it did not answer while it was rebuilt');
    throw hostError('HOST_UNREACHABLE', `${replica} does not answer`);
  }

  /** After an unclean stop all replicas are made equal to the one that is read. */
  #compare(): void {
    const primary = this.#ports.reach(this.request.readPrimary ?? this.request.replicas[0]?.replica ?? '');
    for (const name of this.modes.keys()) {
      const disk = this.#ports.reach(name);
      if (primary === undefined || disk === undefined || disk === primary) continue;
      for (const id of disk.written) if (!primary.written.has(id)) disk.written.delete(id);
      for (const id of primary.written) disk.written.add(id);
      disk.killedIn = undefined;
    }
    if (primary !== undefined) primary.killedIn = undefined;
  }
}
