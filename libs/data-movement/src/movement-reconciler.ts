import type { Pod } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import {
  again,
  type Informer,
  isConflict,
  isNotFound,
  keyOf,
  keyText,
  type ObjectKey,
  type Outcome,
  type Reconciler,
  settled,
  waiting,
} from '@lateen/kube';
import { ActivePaths, type ActivePathsPorts } from './active-paths.ts';
import { CancelSightings } from './cancel-sightings.ts';
import { decideMovement, type Seen, type Step } from './decide-movement.ts';
import type { Exposures } from './exposures.ts';
import { type Movement, type MovementStatus, ownerOf } from './movement-kind.ts';
import type { MovementLimits } from './movement-limits.ts';
import { podSeen } from './pod-seen.ts';
import { endMovement, moveTo, removeFinalizer, timestamp } from './write-movement.ts';

export interface MovementReconcilerPorts<T extends Movement> extends ActivePathsPorts<T> {
  node: string;
  limits: MovementLimits;
  /** Decides without a call whether there is anything to do. */
  objects: Pick<Informer<T>, 'get'>;
  pods: Informer<Pod>;
  exposures: Exposures;
}

/** How soon a key that lost a race, or found no room, is looked at again; the change itself wakes it as a rule. */
const retryMs = 1_000;

/** Brings one DataUpload or DataDownload a step nearer to its end: gather, decide, apply. */
export class MovementReconciler<T extends Movement> implements Reconciler {
  readonly #ports: MovementReconcilerPorts<T>;
  /** Objects that this process has worked on, for the clean-up of one that vanishes. */
  readonly #known = new Map<string, T>();

  readonly #cancels: CancelSightings;
  readonly #paths: ActivePaths<T>;

  constructor(ports: MovementReconcilerPorts<T>) {
    this.#ports = ports;
    this.#cancels = new CancelSightings(ports.clock);
    this.#paths = new ActivePaths(ports);
  }

  /**
   * Most changes are not this node's business, and the informer's copy is enough to see that: a later one wakes the key
   * again. What is done is decided on a copy read for it.
   */
  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { kube, kind, objects } = this.#ports;
    const known = objects.get(key);
    const first = known === undefined ? undefined : decideMovement(this.#gather(known));
    if (known !== undefined && (first?.do === 'nothing' || first?.do === 'wait')) {
      return await this.#apply(first, known, signal);
    }
    let object: T;
    try {
      object = await kube.get(kind.type, key, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return await this.#forget(keyText(key), signal);
    }
    const step = decideMovement(this.#gather(object));
    try {
      return await this.#apply(step, object, signal);
    } catch (error) {
      // Another node-agent was first, or the user has changed the object: read it again.
      if (isConflict(error)) return again(0, 'the object has changed');
      throw error;
    }
  }

  /** Ends watching; the data paths go on in their pods and are attached to again by the next process. */
  async close(): Promise<void> {
    await this.#paths.closeAll();
  }

  #gather(object: T): Seen {
    const { kind, node, clock, pods, exposures, limits } = this.#ports;
    const { namespace, name } = ownerOf(object);
    const key = keyText({ namespace, name });
    return {
      object,
      words: kind.words,
      node,
      nowMs: clock.now(),
      pod: podSeen(pods.get({ namespace, name }), object.metadata.uid),
      exposure: exposures.stateOf(exposureKey(object)),
      active: this.#paths.has(key),
      cancelSeenMs: this.#cancels.of(object),
      limits,
    };
  }

  async #apply(step: Step, object: T, signal: AbortSignal): Promise<Outcome> {
    const { kube, kind, node, clock } = this.#ports;
    const key = keyText({ namespace: object.metadata.namespace, name: object.metadata.name ?? '' });
    switch (step.do) {
      case 'nothing':
        return settled;
      case 'wait':
        return step.againMs === undefined ? waiting(step.on) : again(step.againMs, `waiting for ${step.on}`);
      case 'accept': {
        const status = { acceptedByNode: node, acceptedTimestamp: timestamp(clock.now()) } as Partial<
          MovementStatus<T>
        >;
        const accepted = await moveTo(kube, kind, object, 'Accepted', status, signal);
        return this.#expose(accepted, key);
      }
      case 'expose':
        return this.#expose(object, key);
      case 'mark-prepared': {
        const prepared = await moveTo(kube, kind, object, 'Prepared', { node } as Partial<MovementStatus<T>>, signal);
        return await this.#start(prepared, key, signal);
      }
      case 'start':
        return await this.#start(object, key, signal);
      case 'attach':
        this.#known.set(key, object);
        return await this.#paths.attach(object, key, signal);
      case 'mark-canceling':
        await moveTo(kube, kind, object, 'Canceling', {}, signal);
        return settled;
      case 'request-cancel': {
        const body = {
          spec: { cancel: true },
          status: { message: step.message },
          metadata: { resourceVersion: object.metadata.resourceVersion },
        };
        await kube.patch(kind.type, keyOf(object), { type: 'merge', body }, { signal });
        return settled;
      }
      case 'end':
        return await this.#endEarly(step, object, key, signal);
      case 'conclude':
        return await this.#conclude(object, key, signal);
      default:
        return step satisfies never;
    }
  }

  #start(object: T, key: string, signal: AbortSignal): Promise<Outcome> {
    this.#known.set(key, object);
    return this.#paths.start(object, key, signal);
  }

  #expose(object: T, key: string): Outcome {
    const { kind, exposures, log, queue } = this.#ports;
    this.#known.set(key, object);
    const started = exposures.start(
      exposureKey(object),
      (signal) => kind.expose(object, signal),
      async (error) => {
        log.warn({ key, err: error }, 'the exposure failed');
        await this.#recordFailure(object, `${kind.exposeFailure}: ${describeError(error)}`);
        queue.add(key);
      },
    );
    if (!started) return again(retryMs, 'too many exposures are under way');
    return again(this.#ports.limits.prepareTimeoutMs, 'waiting for the hosting pod');
  }

  async #recordFailure(object: T, message: string): Promise<void> {
    const { kube, kind, clock, runPorts, log } = this.#ports;
    const status = { message, completionTimestamp: timestamp(clock.now()) } as Partial<MovementStatus<T>>;
    await endMovement(kube, kind, keyOf(object), 'Failed', status, runPorts(log).signal);
  }

  async #endEarly(step: Extract<Step, { do: 'end' }>, object: T, key: string, signal: AbortSignal): Promise<Outcome> {
    const { kube, kind, clock } = this.#ports;
    const cause = step.diagnose === true ? await kind.diagnose(object, signal) : undefined;
    const message = cause === undefined ? step.message : `${step.message}: ${cause}`;
    const status = { message, completionTimestamp: timestamp(clock.now()) } as Partial<MovementStatus<T>>;
    await moveTo(kube, kind, object, step.phase, status, signal);
    await this.#paths.close(key);
    return again(0, 'the movement has ended');
  }

  async #conclude(object: T, key: string, signal: AbortSignal): Promise<Outcome> {
    const { kube, kind } = this.#ports;
    await this.#release(object, key);
    await kind.cleanUp(object, signal);
    await removeFinalizer(kube, kind, object, signal);
    this.#known.delete(key);
    return settled;
  }

  /** The object is gone without our finalizer having held it: somebody removed that by hand. */
  async #forget(key: string, signal: AbortSignal): Promise<Outcome> {
    const object = this.#known.get(key);
    if (object === undefined) return settled;
    this.#cancels.forget(object);
    await this.#paths.close(key);
    await this.#release(object, key);
    await this.#ports.kind.cleanUp(object, signal);
    this.#known.delete(key);
    return settled;
  }

  async #release(object: T, key: string): Promise<void> {
    await this.#ports.exposures.stop(exposureKey(object));
    this.#paths.release(key);
  }
}

/** Uploads and downloads share exposures. */
const exposureKey = (object: Movement): string => `${object.kind}/${object.metadata.uid}`;
