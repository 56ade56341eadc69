import { type Call, hostError, hostSilentMs, type InstanceEvent, type InstanceHost } from '@lateen/block-engine';
import type { Clock } from '@lateen/kernel';
import type { FakeCluster } from '../cluster/fake-cluster.ts';
import type { ModelDisk } from './model-disk.ts';
import type { ModelEngine } from './model-engine.ts';
import { ModelHost } from './model-host.ts';
import { ModelRecords } from './model-records.ts';
import { ModelTransfers } from './model-transfers.ts';

/** `cut`: unreachable, but its processes continue; `dead`: they are gone, too, until it is `up` again. */
export type ModelNodeState = 'up' | 'cut' | 'dead';

export interface ModelInstanceHostsOptions {
  readonly clock: Clock;
  readonly cluster: FakeCluster;
  readonly nodes: readonly string[];
}

/** Latency of a call; a call to an unreachable node ends only with its signal. */
const callMs = 2;

/**
 * The instance managers of a few nodes, with replicas that know which writes they have and engines that write to them. Behaves as the port
 * `InstanceHost` documents, and as docs/adr/0049 to 0051 describe writes, records and promises.
 */
export class ModelInstanceHosts {
  readonly records: ModelRecords;
  /** Disks by the name of the replica. */
  readonly disks = new Map<string, ModelDisk>();
  readonly hosts = new Map<string, ModelHost>();
  /** Content of the backups on the target, as numbers of writes, by name. */
  readonly backups = new Map<string, readonly number[]>();
  readonly #states = new Map<string, ModelNodeState>();
  readonly #options: ModelInstanceHostsOptions;
  readonly #changed = new Set<() => void>();
  #uuids = 0;

  constructor(options: ModelInstanceHostsOptions) {
    this.#options = options;
    this.records = new ModelRecords(options.cluster);
    for (const node of options.nodes) this.#addNode(node);
  }

  /** The client that a manager uses for a node. */
  connect = ({ node }: { readonly node: string }): { readonly host: InstanceHost; close(): void } => ({
    host: this.#hostOf(node),
    close: () => {},
  });

  /** The model of a node, for checks by tests. */
  node(name: string): ModelHost {
    const host = this.hosts.get(name);
    if (host === undefined) throw new RangeError(`there is no node ${name}`);
    return host;
  }

  stateOf(node: string): ModelNodeState {
    return this.#states.get(node) ?? 'dead';
  }

  setNode(node: string, state: ModelNodeState): void {
    this.#states.set(node, state);
    if (state === 'dead') this.node(node).kill();
    for (const each of [...this.#changed]) each();
  }

  /** The running engine of a volume, on any node; of several the latest. */
  engineOf(volume: string): ModelEngine | undefined {
    return this.enginesOf(volume).sort((a, b) => b.run.generation - a.run.generation)[0];
  }

  /** All running engines. */
  enginesOf(volume: string): ModelEngine[] {
    return [...this.hosts.values()]
      .flatMap(({ engines }) => [...engines.values()])
      .filter(({ request, state }) => request.volume === volume && state === 'running');
  }

  /** Calls of all nodes, by name. */
  calls(): readonly string[] {
    return [...this.hosts.values()].flatMap(({ calls }) => calls);
  }

  #addNode(node: string): void {
    this.#states.set(node, 'up');
    const host: ModelHost = new ModelHost({
      node,
      ip: node,
      disks: this.disks,
      uuid: () => `run-${++this.#uuids}`,
      transfers: (ports) => {
        const { clock } = this.#options;
        const source = (replica: string) => this.#serving(node, replica);
        return new ModelTransfers({ ...ports, clock, source, backups: this.backups });
      },
      enginePorts: (from, generation) => ({
        clock: this.#options.clock,
        records: this.records,
        reach: (replica) => this.#reach(from, replica, generation()),
      }),
    });
    this.hosts.set(node, host);
  }

  #reach(from: string, replica: string, generation: number): ModelDisk | undefined {
    const disk = this.#serving(from, replica);
    return disk?.promised === generation ? disk : undefined;
  }

  #serving(from: string, replica: string): ModelDisk | undefined {
    const at = [...this.hosts].find(([, host]) => host.replicas.includes(replica))?.[0];
    const disk = this.disks.get(replica);
    if (at === undefined || disk === undefined || disk.port === 0) return undefined;
    const isReached = at === from || (this.stateOf(at) === 'up' && this.stateOf(from) === 'up');
    return isReached && this.stateOf(at) !== 'dead' ? disk : undefined;
  }

  #hostOf(node: string): InstanceHost {
    const host = this.node(node);
    const ask = async <T>(name: string, { signal }: Call, act: () => T | Promise<T>): Promise<T> => {
      await this.#answer(node, signal);
      host.calls.push(name);
      return await act();
    };
    const none = async (): Promise<never> => {
      throw hostError('NOT_POSSIBLE_NOW', 'the model does not have it');
    };
    const stream = <T>(name: string, o: Call, act: () => AsyncIterable<T>): AsyncIterable<T> =>
      this.#stream(node, name, o, act);
    return {
      info: none,
      ensureReplica: (request, o) => ask('ensureReplica', o, () => host.ensureReplica(request)),
      ensureEngine: (request, o) => ask('ensureEngine', o, () => host.ensureEngine(request)),
      ensureFrontend: (request, o) => ask('ensureFrontend', o, () => host.ensureFrontend(request)),
      stop: (request, o) =>
        ask('stop', o, async () => {
          if (request.kind !== 'transfer') return host.stop(request);
          await host.transfers.stop(request.name);
          return { clean: true };
        }),
      watch: (o) => this.#watch(node, o),
      promiseGeneration: none,
      deleteReplicaData: (request, o) => ask('deleteReplicaData', o, () => host.deleteReplicaData(request)),
      engineSnapshot: (request, o) => ask('engineSnapshot', o, () => host.engineSnapshot(request)),
      engineAddReplica: (request, o) => stream('engineAddReplica', o, () => host.engineAddReplica(request, o.signal)),
      engineDropReplica: (request, o) => ask('engineDropReplica', o, () => host.engineDropReplica(request)),
      engineGrow: (request, o) => ask('engineGrow', o, () => host.engineGrow(request)),
      engineRevert: none,
      engineTrim: none,
      engineSnapshotDelete: (request, o) => ask('engineSnapshotDelete', o, () => host.engineSnapshotDelete(request)),
      enginePurge: (request, o) => stream('enginePurge', o, () => host.enginePurge(request, o.signal)),
      snapshotSum: (request, o) => stream('snapshotSum', o, () => host.snapshotSum(request)),
      openSnapshot: none,
      closeSnapshot: none,
      startBackup: (_, o) => stream('startBackup', o, () => none() as never),
      startRestore: (request, o) => stream('startRestore', o, () => host.transfers.startRestore(request, o.signal)),
      startClone: (request, o) => stream('startClone', o, () => host.transfers.startClone(request, o.signal)),
      inspectDisk: none,
      registerDisk: none,
      listReplicaFolders: (_, o) => stream('listReplicaFolders', o, () => none() as never),
    };
  }

  /** Waits for the latency of the network; an unreachable node keeps its caller waiting. */
  async #answer(node: string, signal: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(callMs, signal);
    if (this.stateOf(node) !== 'up') await this.#options.clock.sleep(Number.MAX_SAFE_INTEGER, signal);
  }

  async *#stream<T>(node: string, name: string, { signal }: Call, act: () => AsyncIterable<T>): AsyncGenerator<T> {
    await this.#answer(node, signal);
    this.node(node).calls.push(name);
    yield* act();
  }

  async *#watch(node: string, { signal }: Call): AsyncGenerator<InstanceEvent> {
    await this.#answer(node, AbortSignal.any([signal, this.#options.clock.deadline(hostSilentMs)]));
    const events: InstanceEvent[] = [];
    let next = Promise.withResolvers<void>();
    const wake = () => next.resolve();
    const off = this.node(node).watch((event) => {
      events.push(event);
      wake();
    });
    this.#changed.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    try {
      for (;;) {
        signal.throwIfAborted();
        if (this.stateOf(node) !== 'up') {
          await this.#options.clock.sleep(hostSilentMs, signal);
          throw hostError('HOST_UNREACHABLE', `${node} has reported nothing for ${hostSilentMs} ms`);
        }
        yield* events.splice(0);
        await next.promise;
        next = Promise.withResolvers<void>();
      }
    } finally {
      off();
      this.#changed.delete(wake);
      signal.removeEventListener('abort', wake);
    }
  }
}

export const modelInstanceHosts = (options: ModelInstanceHostsOptions): ModelInstanceHosts =>
  new ModelInstanceHosts(options);
