import { isConflict, isNotFound, keyText, type ObjectKey } from '@lateen/kube';
import { again, type Informer, type Outcome, type Reconciler, settled, waiting } from '@lateen/kube-runtime';
import { Admission, type AdmissionPorts } from './apply/admission.ts';
import { ClientWatch, type ClientWatchPorts } from './apply/client-watch.ts';
import { Conclusion } from './apply/conclusion.ts';
import { GiveBack } from './apply/give-back.ts';
import { Handover, type HandoverPorts } from './apply/handover.ts';
import { ActivePaths, type ActivePathsPorts } from './data-path/active-paths.ts';
import { type Decision, decide } from './decide/decision.ts';
import { failed } from './decide/endings.ts';
import type { Step } from './decide/step.ts';
import { Exposing, type ExposingPorts } from './expose/exposing.ts';
import { Sight, type SightPorts } from './gather/sight.ts';
import { WorkedOn } from './gather/worked-on.ts';
import { type Movement, type MovementPatch, withSpec } from './kinds/movement-kind.ts';
import { LineNote, slotText } from './status/line-note.ts';
import { noteRemoval } from './status/status-notes.ts';
import { moveTo } from './status/write-movement.ts';
import { writeWaitingNote } from './status/write-note.ts';

/** How soon to look again for a pod that the API server has and our watch does not show yet. */
const lateWatchMs = 2_000;

export type MovementReconcilerPorts<T extends Movement> = ActivePathsPorts<T> &
  SightPorts<T> &
  ExposingPorts<T> &
  HandoverPorts<T> &
  ClientWatchPorts<T> &
  AdmissionPorts<T> & {
    /** Used to decide, without a call, whether there is anything to do. */
    objects: Pick<Informer<T>, 'get'>;
  };

/** Brings one movement one step closer to its end: gather, decide, apply. */
export class MovementReconciler<T extends Movement> implements Reconciler {
  readonly #ports: MovementReconcilerPorts<T>;
  readonly #worked = new WorkedOn<T>();
  readonly #sight: Sight<T>;
  readonly #exposing: Exposing<T>;
  readonly #paths: ActivePaths<T>;
  readonly #lines: LineNote<T>;
  readonly #admission: Admission<T>;
  readonly #handover: Handover<T>;
  readonly #conclusion: Conclusion<T>;
  readonly #client: ClientWatch<T>;
  readonly #giveBack: GiveBack<T>;

  constructor(ports: MovementReconcilerPorts<T>) {
    this.#ports = ports;
    this.#sight = new Sight(ports, this.#worked);
    this.#exposing = new Exposing(ports);
    this.#paths = new ActivePaths(ports);
    this.#lines = new LineNote(ports);
    this.#admission = new Admission(ports, this.#lines);
    this.#handover = new Handover(ports, this.#exposing);
    this.#conclusion = new Conclusion(ports);
    this.#client = new ClientWatch(ports);
    this.#giveBack = new GiveBack(ports.kind, {
      worked: this.#worked,
      sight: this.#sight,
      exposing: this.#exposing,
      paths: this.#paths,
      lines: this.#lines,
      admission: this.#admission,
    });
  }

  /**
   * Most changes do not concern this node, and the informer's copy is enough to see that: a later change puts the key into the
   * queue again. A step that acts is decided on a copy that was read for it.
   */
  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { kube, kind, objects } = this.#ports;
    const known = objects.get(key);
    const unread = known === undefined ? undefined : await this.#withoutReading(known, signal);
    if (unread !== undefined) return unread;
    let object: T;
    try {
      object = withSpec(await kube.get(kind.type, key, { signal }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return await this.#forget(keyText(key), signal);
    }
    try {
      const { step, releases } = this.#decide(object);
      await this.#giveBack.all(releases, object, signal);
      return await this.#apply(step, object, signal);
    } catch (error) {
      // Another node-agent was first, or the user has changed the object: read it again.
      if (isConflict(error)) return again(0, 'the object has changed');
      throw error;
    }
  }

  /** A movement that waits, or is in a queue, is not read at each look: there may be thousands. Undefined for all others. */
  async #withoutReading(object: T, signal: AbortSignal): Promise<Outcome | undefined> {
    // Only a read shows which of two objects of one name is the later one.
    if (this.#worked.relationTo(object) === 'another-object') return undefined;
    const { step, releases } = this.#decide(object);
    switch (step.do) {
      case 'nothing':
      case 'wait':
        if (step.do === 'wait' && step.note !== undefined) return undefined;
        await this.#giveBack.all(releases, object, signal);
        return await this.#apply(step, object, signal);
      case 'expose':
        this.#worked.remember(object);
        return this.#exposing.waitsInLine(object, step.withinMs);
      case 'accept':
        try {
          return await this.#admission.waitsForRoom(object, signal);
        } catch (error) {
          // The informer's copy is out of date.
          if (isConflict(error) || isNotFound(error)) return undefined;
          throw error;
        }
      default:
        return undefined;
    }
  }

  /** Stops watching; the data paths continue in their pods, and the next process attaches to them. */
  async close(): Promise<void> {
    await this.#paths.closeAll();
  }

  #decide(object: T): Decision {
    return decide(this.#sight.of(object, this.#paths.stateOf(Sight.key(object))));
  }

  async #apply(step: Step, object: T, signal: AbortSignal): Promise<Outcome> {
    const key = Sight.key(object);
    switch (step.do) {
      case 'nothing':
        return settled;
      case 'wait':
        if (step.note !== undefined) await writeWaitingNote(this.#ports, object, step.note, signal);
        return step.againMs === undefined ? waiting(step.on) : again(step.againMs, `waiting for ${step.on}`);
      case 'accept':
        return await this.#accept(object, signal);
      case 'expose':
        this.#worked.remember(object);
        return this.#exposing.begin(object, step.withinMs);
      case 'look-for-client':
        this.#sight.explained(object);
        return await this.#endWithout(await this.#client.look(object, signal), object, key, signal);
      case 'end-without-client':
        return await this.#endWithout(await this.#client.loss(object, signal), object, key, signal);
      case 'explain':
        this.#sight.explained(object);
        await this.#exposing.explain(object, signal);
        return again(0, 'it continues waiting');
      case 'mark-prepared':
        return await this.#start(await this.#markPrepared(object, signal), key, signal);
      case 'start':
        return await this.#start(object, key, signal);
      case 'attach':
        this.#worked.remember(object);
        return await this.#paths.attach(object, key, signal);
      case 'let-go':
        return await this.#paths.letGo(key);
      case 'take-over':
      case 'adopt':
        return await this.#handover.takeOver(step.do, object, signal);
      case 'try-again': {
        const podSeen = this.#sight.podOf(object) !== undefined;
        return await this.#handover.tryAgain(object, { cause: step.cause, podSeen }, signal);
      }
      case 'mark-canceling':
        await moveTo(this.#ports.kube, this.#ports.kind, object, 'Canceling', {}, signal);
        return settled;
      case 'request-cancel':
        return await this.#handover.requestCancel(object, step.message, signal);
      case 'end':
        return await this.#end(step, object, key, signal);
      case 'conclude':
        return await this.#conclude(object, key, signal);
      default:
        return step satisfies never;
    }
  }

  async #accept(object: T, signal: AbortSignal): Promise<Outcome> {
    const inLine = await this.#admission.waitsForRoom(object, signal);
    if (inLine !== undefined) return inLine;
    const accepted = await this.#admission.accept(object, signal);
    this.#worked.remember(accepted);
    return this.#exposing.begin(accepted);
  }

  async #markPrepared(object: T, signal: AbortSignal): Promise<T> {
    const { kube, kind, node } = this.#ports;
    const status = { ...kind.owner.running(node), ...noteRemoval(object.status?.message) } as MovementPatch<T>;
    return await moveTo(kube, kind, object, 'Prepared', status, signal);
  }

  async #start(object: T, key: string, signal: AbortSignal): Promise<Outcome> {
    const { node, slots } = this.#ports;
    this.#worked.remember(object);
    const pod = this.#sight.podOf(object);
    if (pod === undefined) return again(0, 'its hosting pod has gone');
    const begun = await this.#paths.start(object, key, pod, signal);
    return begun ?? (await this.#lines.waits(object, 'a free slot on this node', slotText(node, slots.max), signal));
  }

  async #end(step: Extract<Step, { do: 'end' }>, object: T, key: string, signal: AbortSignal): Promise<Outcome> {
    await this.#conclusion.end(step, object, signal);
    await this.#paths.close(key);
    return again(0, 'the movement has ended');
  }

  /** @param why why the pod can no longer be used; undefined while it can */
  async #endWithout(why: string | undefined, object: T, key: string, signal: AbortSignal): Promise<Outcome> {
    if (why === undefined) return again(lateWatchMs, 'the watch is late: the pod is there');
    return await this.#end(failed(why), object, key, signal);
  }

  async #conclude(object: T, key: string, signal: AbortSignal): Promise<Outcome> {
    await this.#conclusion.conclude(object, signal);
    this.#worked.forget(key);
    return settled;
  }

  /** The object is gone although our finalizer should have held it: the finalizer was removed by hand. */
  async #forget(key: string, signal: AbortSignal): Promise<Outcome> {
    this.#lines.forget(key);
    this.#sight.forget(key);
    const object = this.#worked.get(key);
    if (object === undefined) return settled;
    await this.#paths.close(key);
    await this.#exposing.stop(object);
    this.#paths.release(key);
    await this.#ports.kind.cleanUp(object, signal);
    this.#worked.forget(key);
    return settled;
  }
}
