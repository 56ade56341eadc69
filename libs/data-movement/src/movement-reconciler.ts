import { isConflict, isNotFound, keyText, type ObjectKey } from '@lateen/kube';
import { again, type Informer, type Outcome, type Reconciler, settled, waiting } from '@lateen/kube-runtime';
import { Admission, type AdmissionPorts } from './apply/admission.ts';
import { Conclusion } from './apply/conclusion.ts';
import { Handover, type HandoverPorts } from './apply/handover.ts';
import { ActivePaths, type ActivePathsPorts } from './data-path/active-paths.ts';
import { type Decision, decide } from './decide/decision.ts';
import type { Release } from './decide/releases.ts';
import type { Step } from './decide/step.ts';
import { Exposing, type ExposingPorts } from './expose/exposing.ts';
import { Sight, type SightPorts } from './gather/sight.ts';
import { WorkedOn } from './gather/worked-on.ts';
import { type Movement, withSpec } from './kinds/movement-kind.ts';
import { LineNote, slotText } from './status/line-note.ts';
import { noteRemoval } from './status/status-notes.ts';
import { type MovementPatch, moveTo } from './status/write-movement.ts';
import { writeWaitingNote } from './status/write-note.ts';

export type MovementReconcilerPorts<T extends Movement> = ActivePathsPorts<T> &
  SightPorts<T> &
  ExposingPorts<T> &
  HandoverPorts<T> &
  AdmissionPorts<T> & {
    /** Decides without a call whether there is anything to do. */
    objects: Pick<Informer<T>, 'get'>;
  };

/** Brings one DataUpload or DataDownload a step nearer to its end: gather, decide, apply. */
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

  constructor(ports: MovementReconcilerPorts<T>) {
    this.#ports = ports;
    this.#sight = new Sight(ports, this.#worked);
    this.#exposing = new Exposing(ports);
    this.#paths = new ActivePaths(ports);
    this.#lines = new LineNote(ports);
    this.#admission = new Admission(ports, this.#lines);
    this.#handover = new Handover(ports, this.#exposing);
    this.#conclusion = new Conclusion(ports);
  }

  /**
   * Most changes are not this node's business, and the informer's copy is enough to see that: a later one wakes the key
   * again. What is done is decided on a copy read for it.
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
      await this.#release(releases, object, signal);
      return await this.#apply(step, object, signal);
    } catch (error) {
      // Another node-agent was first, or the user has changed the object: read it again.
      if (isConflict(error)) return again(0, 'the object has changed');
      throw error;
    }
  }

  /** What waits, or stands in a line, is not read each time that it is looked at: thousands may. Undefined for the rest. */
  async #withoutReading(object: T, signal: AbortSignal): Promise<Outcome | undefined> {
    // Which of two objects of one name is the later one, only a read tells.
    if (this.#worked.relationTo(object) === 'another-object') return undefined;
    const { step, releases } = this.#decide(object);
    switch (step.do) {
      case 'nothing':
      case 'wait':
        if (step.do === 'wait' && step.note !== undefined) return undefined;
        await this.#release(releases, object, signal);
        return await this.#apply(step, object, signal);
      case 'expose':
        this.#worked.remember(object);
        return this.#exposing.waitsInLine(object, step.withinMs);
      case 'accept':
        try {
          return await this.#admission.waitsForRoom(object, signal);
        } catch (error) {
          // This copy is not the newest one.
          if (isConflict(error) || isNotFound(error)) return undefined;
          throw error;
        }
      default:
        return undefined;
    }
  }

  /** Ends watching; the data paths go on in their pods and are attached to again by the next process. */
  async close(): Promise<void> {
    await this.#paths.closeAll();
  }

  #decide(object: T): Decision {
    return decide(this.#sight.of(object, this.#paths.stateOf(Sight.key(object))));
  }

  async #release(releases: readonly Release[], object: T, signal: AbortSignal): Promise<void> {
    const key = Sight.key(object);
    const giveBack: Readonly<Record<Release, () => unknown>> = {
      'earlier-attempt': () => this.#leaveBehind('earlier-attempt', object, signal),
      'another-object': () => this.#leaveBehind('another-object', object, signal),
      'late-exposure': () => this.#exposing.undo(object, signal),
      memory: () => {
        this.#worked.forget(key);
        this.#sight.forget(key);
      },
      'running-exposure': () => this.#exposing.cutShort(object),
      exposure: () => this.#exposing.stop(object),
      finishing: () => this.#paths.cancel(object, key),
      'line-note': () => this.#lines.forget(key),
      'exposure-place': () => this.#exposing.leaveLine(object),
      slot: () => this.#paths.release(key),
    };
    for (const each of releases) await giveBack[each]();
  }

  async #leaveBehind(which: 'earlier-attempt' | 'another-object', object: T, signal: AbortSignal): Promise<void> {
    const key = Sight.key(object);
    const earlier = this.#worked.get(key);
    if (earlier === undefined) return;
    await this.#exposing.stop(earlier);
    if (which === 'earlier-attempt') return this.#worked.remember(object);
    await this.#ports.kind.cleanUp(earlier, signal);
    this.#worked.forget(key);
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
      case 'explain':
        this.#sight.explained(object);
        await this.#exposing.explain(object, signal);
        return again(0, 'it goes on waiting');
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
    const status = { node, ...noteRemoval(object.status?.message) } as MovementPatch<T>;
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

  async #conclude(object: T, key: string, signal: AbortSignal): Promise<Outcome> {
    await this.#conclusion.conclude(object, signal);
    this.#worked.forget(key);
    return settled;
  }

  /** The object is gone without our finalizer having held it: somebody removed that by hand. */
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
