import {
  type CopyProgress,
  type EnsureEngine,
  hostError,
  linkRefused,
  type PurgeProgress,
  type ReplicaControl,
  type ReplicaLayer,
  type ReplicaLayers,
  type ReplicaOf,
  type ReplicaSnapshot,
  type StatusLink,
} from '@lateen/block-engine';
import type { Clock } from '@lateen/kernel';
import { ModelReplica } from '@lateen/testing';

export const unit = 4096;

/** A replica with its instance manager, for tests: bytes in memory, and snapshots as copies of them. */
export class ModelReplicaHost implements ReplicaControl {
  readonly name: string;
  readonly asked: string[] = [];
  /** Runs before the next call of this name; an error that it throws is the answer. */
  readonly before = new Map<keyof ReplicaControl, () => Promise<void> | void>();
  head: ModelReplica;
  sizeBytes: number;
  recordState = 'whole';
  prepared: string | undefined;
  layersDown: { fact: ReplicaLayer; content: Uint8Array }[] = [];
  readonly #clock: Clock;
  readonly #others: ReadonlyMap<string, ModelReplicaHost>;

  constructor(o: { name: string; sizeBytes: number; clock: Clock; others: ReadonlyMap<string, ModelReplicaHost> }) {
    this.name = o.name;
    this.sizeBytes = o.sizeBytes;
    this.#clock = o.clock;
    this.#others = o.others;
    this.head = this.#newHead();
  }

  get snapshotNames(): string[] {
    return this.layersDown.map(({ fact }) => fact.name);
  }

  #newHead(): ModelReplica {
    const head = new ModelReplica({
      name: this.name,
      sizeBytes: 4 * this.sizeBytes,
      unitBytes: unit,
      clock: this.#clock,
      later: (deliver) => queueMicrotask(deliver),
      chance: () => 0,
    });
    head.promise(7);
    return head;
  }

  connect(generation: number): StatusLink {
    if (this.head.promised !== generation) throw linkRefused(`${this.name} serves another generation`);
    const link = this.head.connect(generation);
    return {
      sizeBytes: BigInt(this.sizeBytes),
      get oldestPendingMs() {
        return link.oldestPendingMs;
      },
      closed: link.closed,
      contexts: [],
      read: (at, length) => link.read(at, length),
      write: (at, data, o) => link.write(at, data, o),
      zero: (at, length, o) => link.zero(at, length, o),
      trim: (at, length) => link.trim(at, length),
      flush: () => link.flush(),
      status: () => Promise.reject(new Error('this export tells nothing')),
      [Symbol.asyncDispose]: () => link[Symbol.asyncDispose](),
    };
  }

  async #asks(call: keyof ReplicaControl, request: ReplicaOf): Promise<void> {
    this.asked.push(call);
    const before = this.before.get(call);
    this.before.delete(call);
    await before?.();
    if (
      request.generation !== this.head.promised ||
      request.replica !== this.name ||
      request.volumeUid !== 'volume-uid'
    )
      throw hostError('GENERATION_OVER', `${this.name} is promised for ${this.head.promised}`);
  }

  async layers(request: ReplicaOf): Promise<ReplicaLayers> {
    await this.#asks('layers', request);
    const parent = this.layersDown.at(-1)?.fact.name;
    return {
      sizeBytes: BigInt(this.sizeBytes),
      recordState: this.recordState,
      ...(parent === undefined ? {} : { headParent: parent }),
      headBytes: 1n,
      layers: this.layersDown.map(({ fact }) => fact),
    };
  }

  async prepareSnapshot(request: ReplicaSnapshot): Promise<void> {
    await this.#asks('prepareSnapshot', request);
    this.prepared = request.snapshot;
  }

  async snapshot(request: ReplicaSnapshot): Promise<void> {
    await this.#asks('snapshot', request);
    const { snapshot: name, userCreated, created, labels } = request;
    this.prepared = undefined;
    const parent = this.layersDown.at(-1)?.fact.name;
    const fact = { name, parent, children: [], removed: false, userCreated, created, labels, sizeBytes: 5n };
    this.layersDown.push({
      fact: { ...fact, volumeBytes: BigInt(this.sizeBytes) },
      content: this.head.content.slice(),
    });
    this.head.flush();
  }

  async cancelSnapshot(request: ReplicaOf): Promise<void> {
    await this.#asks('cancelSnapshot', request);
    this.prepared = undefined;
  }

  async revert(request: ReplicaOf & { snapshot: string }): Promise<void> {
    await this.#asks('revert', request);
    const at = this.layersDown.findIndex(({ fact }) => fact.name === request.snapshot);
    const found = this.layersDown[at];
    if (found === undefined) throw hostError('SNAPSHOT_NOT_FOUND', request.snapshot);
    this.head.cut();
    this.head.writeBytes(0, found.content, true);
    this.layersDown = this.layersDown.slice(0, at + 1);
  }

  async markRemoved(request: ReplicaOf & { snapshot: string }): Promise<void> {
    await this.#asks('markRemoved', request);
    this.layersDown = this.layersDown.map((layer) =>
      layer.fact.name === request.snapshot ? { ...layer, fact: { ...layer.fact, removed: true } } : layer,
    );
  }

  async *purge(request: ReplicaOf): AsyncGenerator<PurgeProgress, void, undefined> {
    await this.#asks('purge', request);
    const going = this.layersDown.filter(({ fact }) => fact.removed);
    for (const { fact } of going) {
      yield { replica: this.name, snapshot: fact.name, doneBytes: 1n, totalBytes: 1n };
      this.layersDown = this.layersDown.filter((layer) => layer.fact.name !== fact.name);
    }
  }

  async grow(request: ReplicaOf & { sizeBytes: bigint }): Promise<void> {
    await this.#asks('grow', request);
    this.sizeBytes = Number(request.sizeBytes);
    this.head.cut();
  }

  async beginRebuild(request: ReplicaOf & { sizeBytes: bigint }): Promise<void> {
    await this.#asks('beginRebuild', request);
    this.head.cut();
    this.sizeBytes = Number(request.sizeBytes);
    this.head = this.#newHead();
    this.recordState = 'rebuilding';
    this.layersDown = [];
  }

  async *copyLayers(request: ReplicaOf & { sourceReplica: string }): AsyncGenerator<CopyProgress, void, undefined> {
    await this.#asks('copyLayers', request);
    const from = this.#others.get(request.sourceReplica)?.layersDown ?? [];
    const own = this.layersDown;
    this.layersDown = [];
    for (const [index, one] of from.entries()) {
      if (own.some(({ fact }) => fact.name === one.fact.name)) continue;
      this.layersDown.push(one);
      const done = { doneBytes: 5n, totalBytes: 5n, skipped: false };
      yield { snapshot: one.fact.name, layer: index + 1, layers: from.length, ...done };
    }
    this.layersDown.push(...own);
  }

  async attachLayers(request: ReplicaOf & { snapshot: string }): Promise<void> {
    await this.#asks('attachLayers', request);
    const base = this.layersDown.find(({ fact }) => fact.name === request.snapshot);
    if (base === undefined) throw hostError('SNAPSHOT_NOT_FOUND', request.snapshot);
    this.head.cut();
    this.head.setBase(base.content);
    this.recordState = 'whole';
  }

  async compared(request: ReplicaOf): Promise<void> {
    await this.#asks('compared', request);
  }
}

export function engineRequest(names: readonly string[], o: Partial<EnsureEngine> = {}): EnsureEngine {
  return {
    name: 'v-e-0',
    volume: 'v',
    volumeUid: 'volume-uid',
    generation: 7,
    sizeBytes: BigInt(16 * unit),
    replicas: names.map((replica, index) => ({ replica, host: replica, port: 10_000, local: index === 0 })),
    replyTimeoutMs: 8_000,
    compareHeads: false,
    record: { namespace: 'longhorn-system', engine: 'v-e-0', engineUid: 'engine-uid', replicas: {} },
    ...o,
  };
}
