import { isTerminalPhase } from '@lateen/api-types';
import { isConflict, isNotFound, keyText, type ObjectKey } from '@lateen/kube';
import { again, type Informer, type Outcome, type Reconciler, settled, waiting } from '@lateen/kube-runtime';
import { ActivePaths, type ActivePathsPorts } from './active-paths.ts';
import { Conclusion } from './conclusion.ts';
import { decideMovement } from './decide-movement.ts';
import { Exposing, type ExposingPorts } from './exposing.ts';
import { exposureKey } from './exposures.ts';
import { Handover, type HandoverPorts } from './handover.ts';
import { LineNote, roomText, slotText } from './line-note.ts';
import { type Movement, withSpec } from './movement-kind.ts';
import { phaseOf } from './phase-moves.ts';
import { runsOn } from './seen.ts';
import { placeOf, Sight, type SightPorts } from './sight.ts';
import type { Slots } from './slots.ts';
import { noteRemoval } from './status-notes.ts';
import type { Step } from './step.ts';
import { hold, isHeld, type MovementPatch, moveTo, timestamp } from './write-movement.ts';
import { writeWaitingNote } from './write-note.ts';

export type MovementReconcilerPorts<T extends Movement> = ActivePathsPorts<T> &
  SightPorts<T> &
  ExposingPorts<T> &
  HandoverPorts<T> & {
    /** Decides without a call whether there is anything to do. */
    objects: Pick<Informer<T>, 'get'>;
    /** Room to be prepared, in the whole cluster. */
    room: Slots;
  };

/** Brings one DataUpload or DataDownload a step nearer to its end: gather, decide, apply. */
export class MovementReconciler<T extends Movement> implements Reconciler {
  readonly #ports: MovementReconcilerPorts<T>;
  /** Objects that this process has worked on, for the clean-up of one that vanishes. */
  readonly #known = new Map<string, T>();
  readonly #sight: Sight<T>;
  readonly #exposing: Exposing<T>;
  readonly #paths: ActivePaths<T>;
  readonly #lines: LineNote<T>;
  readonly #handover: Handover<T>;
  readonly #conclusion: Conclusion<T>;

  constructor(ports: MovementReconcilerPorts<T>) {
    this.#ports = ports;
    this.#sight = new Sight(ports);
    this.#exposing = new Exposing(ports);
    this.#paths = new ActivePaths(ports);
    this.#lines = new LineNote(ports);
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
    const first = known === undefined ? undefined : this.#decide(known);
    if (known !== undefined && (first?.do === 'nothing' || (first?.do === 'wait' && first.note === undefined))) {
      return await this.#apply(first, known, signal);
    }
    if (known !== undefined && first !== undefined) {
      const inLine = await this.#standsInLine(first, known, signal);
      if (inLine !== undefined) return inLine;
    }
    let object: T;
    try {
      object = withSpec(await kube.get(kind.type, key, { signal }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return await this.#forget(keyText(key), signal);
    }
    try {
      return await this.#apply(this.#decide(object), object, signal);
    } catch (error) {
      // Another node-agent was first, or the user has changed the object: read it again.
      if (isConflict(error)) return again(0, 'the object has changed');
      throw error;
    }
  }

  /** What stands in a line is not read each time that it is looked at: thousands may. Undefined when it is its turn. */
  async #standsInLine(step: Step, object: T, signal: AbortSignal): Promise<Outcome | undefined> {
    const key = Sight.key(object);
    if (step.do === 'expose') {
      this.#known.set(key, object);
      return this.#exposing.waitsInLine(object, step.withinMs);
    }
    if (step.do !== 'accept') return undefined;
    try {
      return await this.#waitsForRoom(object, key, signal);
    } catch (error) {
      // The informer's copy is not the newest one.
      if (isConflict(error) || isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Ends watching; the data paths go on in their pods and are attached to again by the next process. */
  async close(): Promise<void> {
    await this.#paths.closeAll();
  }

  #decide(object: T): Step {
    return decideMovement(this.#sight.of(object, this.#paths.has(Sight.key(object))));
  }

  async #apply(step: Step, object: T, signal: AbortSignal): Promise<Outcome> {
    const key = Sight.key(object);
    await this.#leaveBehind(object, key, signal);
    if (!['New', 'Accepted'].includes(phaseOf(object))) await this.#exposing.stop(object);
    if (!['New', 'Prepared'].includes(phaseOf(object))) this.#lines.forget(key);
    if (!['accept', 'expose'].includes(step.do)) this.#exposing.leaveLine(object);
    // A slot that was handed over to something that does not run here any more goes on to the next in line.
    const needsSlot = ['mark-prepared', 'start'].includes(step.do);
    const holds = needsSlot || this.#paths.has(key) || runsOn(this.#ports.node, object);
    if (!holds) this.#paths.release(key);
    switch (step.do) {
      case 'nothing':
        return settled;
      case 'wait':
        if (step.note !== undefined) await writeWaitingNote(this.#ports, object, step.note, signal);
        return step.againMs === undefined ? waiting(step.on) : again(step.againMs, `waiting for ${step.on}`);
      case 'accept':
        return await this.#accept(object, key, signal);
      case 'expose':
        this.#known.set(key, object);
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
        this.#known.set(key, object);
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

  async #accept(object: T, key: string, signal: AbortSignal): Promise<Outcome> {
    const inLine = await this.#waitsForRoom(object, key, signal);
    if (inLine !== undefined) return inLine;
    const { kube, kind, node, clock } = this.#ports;
    const acceptedTimestamp = timestamp(clock.now());
    const noNote = noteRemoval(object.status?.message);
    const status = { acceptedByNode: node, acceptedTimestamp, ...noNote } as MovementPatch<T>;
    const accepted = await moveTo(kube, kind, object, 'Accepted', status, signal);
    this.#known.set(key, accepted);
    return this.#exposing.begin(accepted);
  }

  /**
   * Undefined when it may be accepted, which is one write with our finalizer. What waits gets the finalizer for itself first:
   * the snapshot was made for it, and would stay behind if it were deleted here.
   */
  async #waitsForRoom(object: T, key: string, signal: AbortSignal): Promise<Outcome | undefined> {
    const { kube, kind, room, queue } = this.#ports;
    if (room.tryTake(placeOf(object), { rank: kind.rank, size: 0 }, () => queue.add(key))) return undefined;
    const held = await hold(kube, kind, object, signal);
    return await this.#lines.waits(held, 'room to be prepared', roomText(room.max), signal);
  }

  async #markPrepared(object: T, signal: AbortSignal): Promise<T> {
    const { kube, kind, node } = this.#ports;
    const status = { node, ...noteRemoval(object.status?.message) } as MovementPatch<T>;
    return await moveTo(kube, kind, object, 'Prepared', status, signal);
  }

  async #start(object: T, key: string, signal: AbortSignal): Promise<Outcome> {
    const { node, slots } = this.#ports;
    this.#known.set(key, object);
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
    await this.#release(object, key);
    await this.#conclusion.conclude(object, signal);
    this.#known.delete(key);
    return settled;
  }

  /**
   * What this process did for an earlier attempt is stopped: another one is under way, perhaps on another node. An earlier
   * object of the same name is gone, and nobody else may know what was made for it.
   */
  async #leaveBehind(object: T, key: string, signal: AbortSignal): Promise<void> {
    const worked = this.#known.get(key);
    if (worked !== undefined && exposureKey(worked) !== exposureKey(object)) {
      await this.#exposing.stop(worked);
      if (worked.metadata.uid !== object.metadata.uid) await this.#ports.kind.cleanUp(worked, signal);
      this.#known.set(key, object);
    }
    // Wherever it was concluded: what comes later under this name is somebody else's.
    if (isTerminalPhase(phaseOf(object)) && !isHeld(object)) {
      this.#known.delete(key);
      this.#sight.forget(key);
    }
  }

  /** The object is gone without our finalizer having held it: somebody removed that by hand. */
  async #forget(key: string, signal: AbortSignal): Promise<Outcome> {
    this.#lines.forget(key);
    this.#sight.forget(key);
    const object = this.#known.get(key);
    if (object === undefined) return settled;
    await this.#paths.close(key);
    await this.#release(object, key);
    await this.#ports.kind.cleanUp(object, signal);
    this.#known.delete(key);
    return settled;
  }

  async #release(object: T, key: string): Promise<void> {
    this.#sight.forget(key);
    await this.#exposing.stop(object);
    this.#paths.release(key);
  }
}
