import {
  type Call,
  type EnsureEngine,
  hostError,
  linkLost,
  type ReplicaAddress,
  type ReplicaControl,
  type ReplicaOf,
  type StatusLink,
} from '@lateen/block-engine';
import { durationText, orAborted } from '@lateen/kernel';
import type { EngineHostLimits, EngineHostPorts } from '../engine-host-ports.ts';

interface Reached {
  address: ReplicaAddress;
  link?: StatusLink;
  control?: Promise<ReplicaControl & Partial<Disposable>>;
}

/** The connections to the replicas of one engine. Only the set knows which replicas are its members. */
export class EngineReplicas {
  readonly #ports: EngineHostPorts;
  readonly #limits: EngineHostLimits;
  readonly #request: EnsureEngine;
  readonly #reached = new Map<string, Reached>();

  constructor(ports: EngineHostPorts, limits: EngineHostLimits, request: EnsureEngine) {
    this.#ports = ports;
    this.#limits = limits;
    this.#request = request;
    for (const address of request.replicas) this.add(address);
  }

  /** Adds a replica that will be rebuilt; it may have a new address. */
  add(address: ReplicaAddress): void {
    void this.#dispose(address.replica);
    this.#reached.set(address.replica, { address });
  }

  address(replica: string): ReplicaAddress {
    return this.#of(replica).address;
  }

  /** The request that identifies this replica and this engine. */
  of(replica: string): ReplicaOf {
    const { volumeUid, generation } = this.#request;
    return { replica, volumeUid, generation };
  }

  /** The connection that the set uses now; undefined before the first one. */
  link(replica: string): StatusLink | undefined {
    return this.#reached.get(replica)?.link;
  }

  /** A new connection to its head. The caller ends it. */
  async connect(replica: string, signal: AbortSignal): Promise<StatusLink> {
    const reached = this.#of(replica);
    const { volumeUid, generation } = this.#request;
    const { connectMs } = this.#limits;
    const late = this.#ports.clock.deadline(connectMs);
    const ends = AbortSignal.any([signal, late]);
    const connecting = this.#ports.connectReplica(reached.address, { volumeUid, generation }, { signal: ends });
    const link = await orAborted(connecting, ends).catch((error: unknown) => {
      // It may still connect later, and is closed then.
      void connecting.then((made) => made[Symbol.asyncDispose]()).catch(() => {});
      signal.throwIfAborted();
      throw late.aborted ? linkLost(`${replica} was not reached within ${durationText(connectMs)}`, error) : error;
    });
    reached.link = link;
    return link;
  }

  /** One call to its instance manager, with a time limit of `ms`. */
  async call<T>(
    replica: string,
    signal: AbortSignal,
    act: (control: ReplicaControl, o: Call) => Promise<T>,
    ms = this.#limits.callMs,
  ): Promise<T> {
    const late = this.#ports.clock.deadline(ms);
    const ends = AbortSignal.any([signal, late]);
    try {
      const control = await orAborted(this.control(replica), ends);
      return await orAborted(act(control, { signal: ends }), ends);
    } catch (error) {
      signal.throwIfAborted();
      if (!late.aborted) throw error;
      const silent = `the instance manager of ${replica} has not answered within ${durationText(ms)}`;
      throw hostError('HOST_UNREACHABLE', silent, { cause: error });
    }
  }

  /** Its instance manager, for streams. */
  control(replica: string): Promise<ReplicaControl> {
    const reached = this.#of(replica);
    if (reached.control !== undefined) return reached.control;
    const signal = this.#ports.clock.deadline(this.#limits.connectMs);
    const control = this.#ports.connectControl(reached.address, { signal });
    reached.control = control;
    // The next call tries to connect again.
    control.catch(() => {
      if (reached.control === control) delete reached.control;
    });
    return control;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#reached.keys()].map((replica) => this.#dispose(replica)));
  }

  async #dispose(replica: string): Promise<void> {
    const control = this.#reached.get(replica)?.control;
    const connected = await control?.catch(() => undefined);
    connected?.[Symbol.dispose]?.();
  }

  #of(replica: string): Reached {
    const reached = this.#reached.get(replica);
    if (reached === undefined) throw new Error(`replica ${replica} is none of this engine`);
    return reached;
  }
}
