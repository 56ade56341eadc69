import { isTerminalPhase, type Pod } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { hostingPodFailure } from '@lateen/exposer';
import type { Clock, Logger } from '@lateen/kernel';
import {
  again,
  type Informer,
  isConflict,
  isNotFound,
  type KubeApi,
  keyOf,
  keyText,
  type ObjectKey,
  type Outcome,
  type Reconciler,
  settled,
  type WorkQueue,
  waiting,
} from '@lateen/kube';
import { DataPathRun, type DataPathRunPorts } from './data-path-run.ts';
import { decideMovement, type Seen, type Step } from './decide-movement.ts';
import type { Exposures } from './exposures.ts';
import { type Movement, type MovementKind, type MovementStatus, ownerOf } from './movement-kind.ts';
import type { MovementLimits } from './movement-limits.ts';
import type { Slots } from './slots.ts';
import { endMovement, moveTo, removeFinalizer, timestamp } from './write-movement.ts';

export interface MovementReconcilerPorts<T extends Movement> {
  kube: KubeApi;
  kind: MovementKind<T>;
  node: string;
  clock: Clock;
  log: Logger;
  limits: MovementLimits;
  queue: WorkQueue;
  /** Decides without a call whether there is anything to do. */
  objects: Pick<Informer<T>, 'get'>;
  pods: Informer<Pod>;
  exposures: Exposures;
  slots: Slots;
  runPorts(log: Logger): DataPathRunPorts;
}

/** How soon a key that lost a race, or found no room, is looked at again; the change itself wakes it as a rule. */
const retryMs = 1_000;

/** Brings one DataUpload or DataDownload a step nearer to its end: gather, decide, apply. */
export class MovementReconciler<T extends Movement> implements Reconciler {
  readonly #ports: MovementReconcilerPorts<T>;
  readonly #active = new Map<string, DataPathRun<T>>();
  /** Objects that this process has worked on, for the clean-up of one that vanishes. */
  readonly #known = new Map<string, T>();

  /** By uid: when spec.cancel was first seen, epoch ms. */
  readonly #cancelSeenMs = new Map<string, number>();

  constructor(ports: MovementReconcilerPorts<T>) {
    this.#ports = ports;
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
    await Promise.all([...this.#active.values()].map((run) => run.close()));
    this.#active.clear();
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
      active: this.#active.has(key),
      cancelSeenMs: this.#cancelSeen(object),
      limits,
    };
  }

  /** Bounded by the objects that are being canceled: forgotten when they have ended or are gone. */
  #cancelSeen(object: T): number | undefined {
    const { uid = '' } = object.metadata;
    if (object.spec.cancel !== true || isTerminalPhase(object.status?.phase)) {
      this.#cancelSeenMs.delete(uid);
      return undefined;
    }
    const seenMs = this.#cancelSeenMs.get(uid) ?? this.#ports.clock.now();
    this.#cancelSeenMs.set(uid, seenMs);
    return seenMs;
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
        return await this.#attach(object, key, signal);
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

  /** The watcher is there before the object says InProgress, so no report of the mover is missed. */
  async #start(object: T, key: string, signal: AbortSignal): Promise<Outcome> {
    const { kube, kind, clock, slots, queue } = this.#ports;
    if (!slots.tryTake(slotKey(kind, key), () => queue.add(key))) return waiting('a free slot on this node');
    const run = this.#newRun(object, key);
    try {
      await run.init(signal);
      const status = { ...kind.startedStatus(), startTimestamp: timestamp(clock.now()) } as Partial<MovementStatus<T>>;
      await moveTo(kube, kind, object, 'InProgress', status, signal);
    } catch (error) {
      this.#drop(key);
      await run.close();
      throw error;
    }
    await run.start();
    return waiting('the data path');
  }

  /** After a restart of this process. The slots do not apply: the data path is running already. */
  async #attach(object: T, key: string, signal: AbortSignal): Promise<Outcome> {
    const { kind, slots, log } = this.#ports;
    slots.force(slotKey(kind, key));
    const isFinishing = await kind.isFinishing(object, signal);
    const run = this.#newRun(object, key);
    try {
      await run.init(signal);
    } catch (error) {
      this.#drop(key);
      await run.close();
      throw error;
    }
    if (isFinishing) {
      run.resumeFinish();
      return waiting('the restored volume to be bound to its target');
    }
    log.info({ key }, 'attached to a data path that was running before');
    await run.start();
    return again(0, 'the object may have been canceled meanwhile');
  }

  #newRun(object: T, key: string): DataPathRun<T> {
    const { kind, log, runPorts, queue } = this.#ports;
    this.#known.set(key, object);
    const run = new DataPathRun(runPorts(log.child({ key })), kind, object, () => {
      this.#drop(key);
      queue.add(key);
    });
    this.#active.set(key, run);
    return run;
  }

  #drop(key: string): void {
    this.#active.delete(key);
    this.#ports.slots.release(slotKey(this.#ports.kind, key));
  }

  async #endEarly(step: Extract<Step, { do: 'end' }>, object: T, key: string, signal: AbortSignal): Promise<Outcome> {
    const { kube, kind, clock } = this.#ports;
    const cause = step.diagnose === true ? await kind.diagnose(object, signal) : undefined;
    const message = cause === undefined ? step.message : `${step.message}: ${cause}`;
    const status = { message, completionTimestamp: timestamp(clock.now()) } as Partial<MovementStatus<T>>;
    await moveTo(kube, kind, object, step.phase, status, signal);
    const run = this.#active.get(key);
    if (run !== undefined) {
      await run.close();
      this.#drop(key);
    }
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
    this.#cancelSeenMs.delete(object.metadata.uid ?? '');
    await this.#active.get(key)?.close();
    this.#drop(key);
    await this.#release(object, key);
    await this.#ports.kind.cleanUp(object, signal);
    this.#known.delete(key);
    return settled;
  }

  async #release(object: T, key: string): Promise<void> {
    await this.#ports.exposures.stop(exposureKey(object));
    this.#ports.slots.release(slotKey(this.#ports.kind, key));
  }
}

/** Uploads and downloads share slots and exposures and may have the same names. */
const slotKey = (kind: { type: { kind: string } }, key: string): string => `${kind.type.kind}/${key}`;
const exposureKey = (object: Movement): string => `${object.kind}/${object.metadata.uid}`;

function podSeen(pod: Pod | undefined, ownerUid: string | undefined): Seen['pod'] {
  if (pod === undefined || pod.metadata.ownerReferences?.some((owner) => owner.uid === ownerUid) !== true)
    return undefined;
  const phase = pod.status?.phase;
  const failure = hostingPodFailure(pod);
  return {
    running: phase === 'Running',
    ended: phase === 'Succeeded' || phase === 'Failed',
    node: pod.spec.nodeName ?? '',
    ...(failure === undefined ? {} : { failure: describeError(failure) }),
  };
}
