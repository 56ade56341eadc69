import {
  type Call,
  type EngineOf,
  type EnsureEngine,
  hostError,
  type Instance,
  type InstanceHost,
  type StopInstance,
} from '@lateen/block-engine';
import { AppError, isAppError } from '@lateen/errors';
import { InFlight } from '@lateen/grpc';
import type { KeeperState } from '@lateen/instance-host';
import { checkReplicaName } from '../replicas/check-replica.ts';
import { EngineChild, type EngineHostPorts, engineLimits } from './engine-child.ts';
import type { EngineNote } from './engine-note.ts';

/**
 * The engines of this node, each in a process of its own that speaks the same API. What they say is on the board; an engine whose
 * process has ended is in error, and its generation has had its start.
 */
export class EngineHost {
  readonly #ports: EngineHostPorts;
  readonly #children = new Map<string, EngineChild>();
  readonly #turns = new InFlight();
  readonly #stopping: AbortSignal;

  /** @param stopping ends what follows the engines; they go on */
  constructor(ports: EngineHostPorts, stopping: AbortSignal) {
    this.#ports = ports;
    this.#stopping = stopping;
  }

  /** See `InstanceHost`. */
  ensure(request: EnsureEngine, { signal }: Call): Promise<Instance> {
    checkReplicaName(request.name);
    return this.#inTurn(request.name, signal, async () => {
      const { name, volume, generation } = request;
      const present = this.#children.get(name);
      if (present !== undefined && present.note.generation > generation)
        throw hostError('GENERATION_OVER', `engine ${name} is of generation ${present.note.generation} here`);
      if (present !== undefined && present.note.generation === generation)
        return await this.#again(present, request, signal);
      if (present !== undefined) {
        if (present.isThere)
          throw hostError('ENGINE_RUNNING', `engine ${name} runs under generation ${present.note.generation}`);
        await present.end(signal);
      }
      const note: EngineNote = { name, volume, generation, run: this.#ports.random.uuid() };
      const child = new EngineChild(this.#ports, note);
      this.#children.set(name, child);
      child.tell('starting');
      try {
        await child.start(signal);
        child.follow(this.#stopping);
        return child.told(await child.host.ensureEngine(request, { signal }));
      } catch (error) {
        // What it has begun goes on when whoever asked has gone; the next call finds it.
        if (!signal.aborted && !isAppError(error, 'HOST_UNREACHABLE')) await child.failed(error);
        throw error;
      }
    });
  }

  async #again(child: EngineChild, request: EnsureEngine, signal: AbortSignal): Promise<Instance> {
    const { name, generation } = request;
    if (child.isThere && !(await child.isAlive(signal))) await child.failed(hasEnded(name, undefined));
    if (!child.isThere)
      throw hostError('GENERATION_OVER', `engine ${name} was started under generation ${generation} and has ended`, {
        nextStep: 'Nothing to do: the volume goes on with another generation.',
      });
    child.follow(this.#stopping);
    return child.told(await child.host.ensureEngine(request, { signal }));
  }

  /** See `InstanceHost`. Absent is fine. */
  stop(request: StopInstance, { signal }: Call): Promise<{ clean: boolean }> {
    checkReplicaName(request.name);
    return this.#inTurn(request.name, signal, async () => {
      const child = this.#children.get(request.name);
      if (child === undefined) return { clean: false };
      if (child.note.generation > request.generation)
        throw hostError('GENERATION_OVER', `engine ${request.name} is of generation ${child.note.generation}`);
      if (!child.isThere) return { clean: child.instance.engine?.cleanStop === true };
      return { clean: await child.stop(request, signal) };
    });
  }

  /** Asks the engine, if it runs here under this generation. */
  async one<T>(of: EngineOf, ask: (host: InstanceHost) => Promise<T>): Promise<T> {
    return await ask(this.#running(of));
  }

  async *many<T>(of: EngineOf, ask: (host: InstanceHost) => AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    yield* ask(this.#running(of));
  }

  #running({ engine, generation }: EngineOf): InstanceHost {
    const child = this.#children.get(engine);
    if (child === undefined || !child.isThere)
      throw hostError('INSTANCE_NOT_FOUND', `engine ${engine} does not run here`);
    if (child.note.generation !== generation)
      throw hostError('GENERATION_OVER', `engine ${engine} is of generation ${child.note.generation}`);
    return child.host;
  }

  /** Takes over what runs, and what is still to be told of engines that have ended. */
  async adopt(signal: AbortSignal): Promise<void> {
    const { notes, clock, log } = this.#ports;
    await Promise.all(
      (await notes.readAll()).map(async (note) => {
        if (note.ended !== undefined && clock.now() - note.ended.atMs > engineLimits.rememberedMs)
          return await notes.remove(note.name);
        const child = new EngineChild(this.#ports, note);
        this.#children.set(note.name, child);
        if (note.ended !== undefined) return void child.remember(note.ended.instance);
        child.tell('starting');
        if (!(await child.isAlive(signal))) return await child.failed(hasEnded(note.name, undefined));
        child.follow(this.#stopping);
        await child.answered(signal).catch((error: unknown) => {
          signal.throwIfAborted();
          log.warn({ engine: note.name, err: error }, 'an engine that runs does not answer');
        });
      }),
    );
  }

  /** What a pass of the keeper has found: engines whose processes have ended. Never rejects. */
  async noticed({ processes }: KeeperState, signal: AbortSignal): Promise<void> {
    const byId = new Map(processes.map((one) => [one.id, one]));
    for (const child of this.#children.values()) {
      const kept = byId.get(child.processId);
      if (!child.isThere || kept?.run !== child.note.run || kept.health !== 'gone') continue;
      await this.#inTurn(child.note.name, signal, async () => {
        if (child.isThere) await child.failed(hasEnded(child.note.name, kept.reason));
      }).catch((error: unknown) => {
        if (!signal.aborted)
          this.#ports.log.warn({ engine: child.note.name, err: error }, 'the end of an engine cannot be noted');
      });
    }
  }

  async #inTurn<T>(engine: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const keys = [{ id: `engine ${engine}`, mode: 'exclusive' as const }];
    using _turn = await this.#turns.enterWithin(keys, {
      waitMs: engineLimits.turnMs,
      clock: this.#ports.clock,
      signal,
    });
    return await work();
  }
}

const hasEnded = (engine: string, reason: string | undefined) =>
  new AppError(
    'ENGINE_ENDED',
    `the process of engine ${engine} has ended${reason === undefined ? '' : `: ${reason}`}`,
    {
      nextStep: 'Nothing to do: the volume is attached again under another generation.',
    },
  );
