import { type EnsureEngine, type HostInstanceState, hostError, type Instance } from '@lateen/block-engine';
import { FailureRecorder, type InstanceBoard } from '@lateen/instance-host';
import { settledOrAborted } from '@lateen/kernel';
import type { EngineHostLimits, EngineHostPorts } from '../engine-host-ports.ts';
import { EngineReplicas } from './engine-replicas.ts';
import { LiveEngine } from './live-engine.ts';
import { shownError } from './shown-error.ts';
import { refreshSnapshots } from './snapshots-of.ts';
import { startEngine } from './start-engine.ts';
import { tellCompared } from './tell-compared.ts';

export interface EngineRunnerOptions {
  readonly ports: EngineHostPorts;
  readonly limits: EngineHostLimits;
  readonly board: InstanceBoard;
  readonly request: EnsureEngine;
}

const stopped = () => hostError('NOT_POSSIBLE_NOW', 'the engine stops');

/** The life of one engine: it starts with the construction, and ends once. */
export class EngineRunner {
  /** Resolves when it serves. Continues whether or not a caller waits for it. */
  readonly started: Promise<Instance>;
  readonly #options: EngineRunnerOptions;
  readonly #live: LiveEngine;
  readonly #uuid: string;
  /** Aborts operations and background work, but not the records of failures. */
  readonly #ended = new AbortController();
  readonly #recording = new AbortController();
  #state: HostInstanceState = 'starting';
  #error: Instance['error'];
  #stopping: Promise<boolean> | undefined;

  constructor(options: EngineRunnerOptions) {
    const { ports, limits, request } = options;
    this.#options = options;
    this.#uuid = ports.random.uuid();
    const log = ports.log.child({ engine: request.name, generation: request.generation });
    const run = this.#run;
    const recorder = new FailureRecorder(ports, {
      run,
      objects: request.record.replicas,
      stopping: this.#recording.signal,
    });
    this.#live = new LiveEngine({
      ports: { ...ports, log },
      limits,
      request,
      replicas: new EngineReplicas(ports, limits, request),
      recorder,
      ended: this.#ended.signal,
      publish: () => this.#publish(),
    });
    this.#publish();
    this.started = this.#start();
    // Callers that wait for it see the rejection.
    this.started.catch(() => {});
  }

  get request(): EnsureEngine {
    return this.#options.request;
  }

  /** @throws `NOT_POSSIBLE_NOW` when it does not serve */
  live(): LiveEngine {
    if (this.#state !== 'running')
      throw hostError('NOT_POSSIBLE_NOW', `engine ${this.request.name} is in state ${this.#state}`);
    return this.#live;
  }

  /**
   * Aborts running operations, stops the set within its deadline, then the server. Further calls get the same result, even when the first caller is
   * gone. True when every write is on every replica.
   */
  stop(): Promise<boolean> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  get #run() {
    const { record, generation } = this.#options.request;
    return { namespace: record.namespace, engine: record.engine, uid: record.engineUid, generation };
  }

  get #isServing(): boolean {
    return this.#live.set !== undefined;
  }

  async #start(): Promise<Instance> {
    try {
      await startEngine(this.#live, { run: this.#run, start: this.#uuid }, this.#ended.signal);
    } catch (error) {
      if (this.#stopping === undefined) this.#end('error', error);
      await this.#cleanUp();
      throw error;
    }
    if (this.#stopping === undefined) this.#state = 'running';
    void this.#follow();
    void refreshSnapshots(this.#live);
    return this.#publish();
  }

  /** Each change triggers a look at the whole state, so missed changes are covered too. */
  async #follow(): Promise<void> {
    const { set } = this.#live;
    const changes = set.changes[Symbol.asyncIterator]();
    this.#look();
    while ((await changes.next()).done !== true) this.#look();
    this.#look();
  }

  #look(): void {
    const live = this.#live;
    const { over, comparing, modes } = live.set.state;
    for (const name of modes.keys()) live.forgetFailure(name);
    live.job?.look();
    if (over === undefined && !comparing && live.primary !== undefined) {
      live.primary = undefined;
      void tellCompared(live);
    }
    if (over !== undefined && this.#stopping === undefined && this.#state === 'running') {
      this.#end('error', over);
      void this.#cleanUp();
    }
    this.#publish();
  }

  #end(state: HostInstanceState, error?: unknown): void {
    this.#state = state;
    if (error !== undefined) this.#error = shownError(error);
    this.#ended.abort(error ?? stopped());
    this.#publish();
  }

  async #stop(): Promise<boolean> {
    const { ports, limits } = this.#options;
    if (this.#state !== 'error') this.#state = 'stopping';
    this.#publish();
    this.#ended.abort(stopped());
    const ends = ports.clock.deadline(limits.stopMs);
    await settledOrAborted(this.started, ends);
    let clean = false;
    if (this.#isServing) {
      // The operation that holds the queue has been aborted.
      await settledOrAborted(this.#live.turn(ends), ends);
      clean = (await this.#live.set.stop({ signal: ends })).clean;
    }
    await this.#cleanUp();
    this.#recording.abort(stopped());
    this.#live.cleanStop = clean;
    this.#state = 'stopped';
    ports.log.info({ engine: this.request.name, clean }, 'the engine has stopped');
    this.#publish();
    return clean;
  }

  /** Runs when the set is over, so no request is held any more. */
  async #cleanUp(): Promise<void> {
    const { server, parts } = this.#live;
    try {
      await server?.[Symbol.asyncDispose]();
      await parts.replicas[Symbol.asyncDispose]();
    } catch (error) {
      parts.ports.log.warn({ err: error }, 'the server of an engine did not end cleanly');
    }
  }

  #publish(): Instance {
    const { name, volume, generation } = this.request;
    const endpoint = this.#live.server?.endpoint;
    const instance: Instance = {
      kind: 'engine',
      name,
      volume,
      generation,
      state: this.#state,
      ...(this.#error === undefined ? {} : { error: this.#error }),
      uuid: this.#uuid,
      ...(endpoint !== undefined && 'path' in endpoint ? { endpoint: endpoint.path } : {}),
      ...(this.#isServing ? { engine: this.#live.state } : {}),
    };
    this.#options.board.set(instance);
    return instance;
  }
}
