import {
  type Call,
  type EngineOf,
  type EnsureEngine,
  hostError,
  type Instance,
  type InstanceHost,
  type StopInstance,
} from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';
import type { KeeperState } from '@lateen/instance-host';
import type { ChildKind, ChildPorts } from '../children/child-ports.ts';
import type { InstanceChild } from '../children/instance-child.ts';
import { InstanceChildren } from '../children/instance-children.ts';
import { checkReplicaName } from '../replicas/check-replica.ts';

const engineChild: ChildKind = {
  ...{ kind: 'engine', process: 'engine-host', endedCode: 'ENGINE_ENDED' },
  nextStep: 'Nothing to do: the volume is attached again under another generation.',
  place: (places, name) => places.engine(name),
};

/**
 * The engines of this node, each in a process of its own that serves the same API. The board shows what they report; an engine whose process has
 * ended is in error, and its generation cannot be started again.
 */
export class EngineHost {
  readonly #children: InstanceChildren;

  /** @param stopping ends the following of engines; the engines continue */
  constructor(ports: ChildPorts, stopping: AbortSignal) {
    this.#children = new InstanceChildren(ports, engineChild, stopping);
  }

  /** See `InstanceHost`. */
  ensure(request: EnsureEngine, { signal }: Call): Promise<Instance> {
    checkReplicaName(request.name);
    return this.#children.inTurn(request.name, signal, async () => {
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
      const child = this.#children.add({ name, volume, generation });
      child.tell('starting');
      try {
        await child.start(signal);
        this.#children.follow(child);
        return child.told(await child.host.ensureEngine(request, { signal }));
      } catch (error) {
        // The start continues when the caller is gone; the next call finds it.
        if (!signal.aborted && !isAppError(error, 'HOST_UNREACHABLE')) await child.failed(error);
        throw error;
      }
    });
  }

  async #again(child: InstanceChild, request: EnsureEngine, signal: AbortSignal): Promise<Instance> {
    const { name, generation } = request;
    if (child.isThere && !(await child.isAlive(signal))) await this.#children.hasEnded(child);
    if (!child.isThere)
      throw hostError('GENERATION_OVER', `engine ${name} was started under generation ${generation} and has ended`, {
        nextStep: 'Nothing to do: the volume continues with another generation.',
      });
    this.#children.follow(child);
    return child.told(await child.host.ensureEngine(request, { signal }));
  }

  /** See `InstanceHost`. Does nothing when there is no such engine. */
  stop(request: StopInstance, { signal }: Call): Promise<{ clean: boolean }> {
    checkReplicaName(request.name);
    return this.#children.inTurn(request.name, signal, async () => {
      const child = this.#children.get(request.name);
      if (child === undefined) return { clean: false };
      if (child.note.generation > request.generation)
        throw hostError('GENERATION_OVER', `engine ${request.name} is of generation ${child.note.generation}`);
      if (!child.isThere) {
        // Its process has ended by itself and has left its files.
        await child.end(signal);
        return { clean: child.instance.engine?.cleanStop === true };
      }
      return { clean: await child.stop(request, signal) };
    });
  }

  /** Calls the engine, if it runs here under this generation. */
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

  /** Takes over running engines, and the results of ended ones that have not been reported yet. */
  adopt(signal: AbortSignal): Promise<void> {
    return this.#children.adopt(signal);
  }

  /** The result of a keeper's pass: engines whose processes have ended. Never rejects. */
  noticed(state: KeeperState, signal: AbortSignal): Promise<void> {
    return this.#children.noticed(state, signal);
  }
}
