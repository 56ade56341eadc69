import type { DataPathProgress } from '@lateen/datapath';
import type { Clock, Logger } from '@lateen/kernel';
import { type KubeApi, keyOf } from '@lateen/kube';
import { type Movement, type MovementKind, ownerOf } from '../kinds/movement-kind.ts';
import type { MovementLimits } from '../movement-limits.ts';
import { stallCause } from './stall-cause.ts';
import { isNote, waitingNote } from './status-notes.ts';
import { timestamp } from './write-movement.ts';

export interface StallNotePorts {
  kube: KubeApi;
  clock: Clock;
  log: Logger;
  node: string;
  limits: Pick<MovementLimits, 'stalledAfterMs' | 'explainEveryMs'>;
}

/**
 * Writes to status.message why a data path makes no progress, and removes that when it continues. Writes nothing while data
 * moves. A failed read or write is repeated at the next look.
 */
export class StallNote<T extends Movement> {
  readonly #ports: StallNotePorts;
  readonly #kind: MovementKind<T>;
  readonly #object: T;
  readonly #stop = new AbortController();
  #watching: Promise<void> = Promise.resolve();
  #wake = new AbortController();
  #movedMs: number;
  #last = '';
  /** The note that we have written and not removed. */
  #note: string | undefined;

  constructor(ports: StallNotePorts, kind: MovementKind<T>, object: T) {
    this.#ports = ports;
    this.#kind = kind;
    this.#object = object;
    this.#movedMs = ports.clock.monotonicMs();
  }

  start(): void {
    this.#movedMs = this.#ports.clock.monotonicMs();
    this.#watching = this.#watch(this.#stop.signal);
  }

  /** Equal figures are no progress. */
  report({ totalBytes, doneBytes, doneFiles }: DataPathProgress): void {
    const figures = `${doneBytes}/${totalBytes}/${doneFiles}`;
    if (figures === this.#last) return;
    this.#last = figures;
    this.#movedMs = this.#ports.clock.monotonicMs();
    if (this.#note !== undefined) this.#wake.abort(new Error('the data moves again'));
  }

  /** Resolves when nothing of it runs any more; {@link clearing} then returns what has to be removed. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the data path is over'));
    await this.#watching;
  }

  /** For a status without a message of its own: removes our note if there may be one. */
  get clearing(): { message?: string | null } {
    return this.#note === undefined ? {} : { message: this.#before() ?? null };
  }

  async #watch(stop: AbortSignal): Promise<void> {
    const { clock, log, limits } = this.#ports;
    while (!stop.aborted) {
      const leftMs = limits.stalledAfterMs - this.#stillMs();
      this.#wake = new AbortController();
      const either = AbortSignal.any([stop, this.#wake.signal]);
      await clock.sleep(leftMs > 0 ? leftMs : limits.explainEveryMs, either).catch(() => {});
      if (stop.aborted) break;
      try {
        await this.#look(stop);
      } catch (error) {
        if (!stop.aborted) log.warn({ err: error }, 'the cause of the stalled data path could not be recorded');
      }
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { kube, clock, limits } = this.#ports;
    const stillMs = this.#stillMs();
    if (stillMs < limits.stalledAfterMs) {
      if (this.#note !== undefined) await this.#write(undefined, signal);
      return;
    }
    const { namespace, name } = ownerOf(this.#object);
    const key = { namespace, ...this.#kind.repositoryOf(this.#object) };
    const cause = await stallCause(kube, { pod: name, key }, timestamp(clock.now() - stillMs), signal);
    const note = waitingNote(cause, this.#before());
    if (note !== this.#note && this.#stillMs() >= stillMs) await this.#write(note, signal);
  }

  /**
   * Refused when the movement no longer belongs to us, or does not run. After a lost answer it is unknown whether the note
   * exists.
   */
  async #write(note: string | undefined, signal: AbortSignal): Promise<void> {
    const { kube, node } = this.#ports;
    const earlier = this.#note;
    this.#note = note ?? earlier;
    const body = [
      { op: 'test', path: '/metadata/uid', value: this.#object.metadata.uid },
      { op: 'test', path: this.#kind.owner.field, value: node },
      { op: 'test', path: '/status/phase', value: 'InProgress' },
      { op: 'add', path: '/status/message', value: note ?? this.#before() ?? '' },
    ] as const;
    try {
      await kube.patch(this.#kind.type, keyOf(this.#object), { type: 'json', body }, { signal });
      this.#note = note;
    } catch (error) {
      if (!signal.aborted) this.#note = earlier;
      throw error;
    }
  }

  /** The note about an earlier lost attempt is kept in front. */
  #before(): string | undefined {
    const message = this.#object.status?.message;
    return isNote(message) ? message : undefined;
  }

  #stillMs(): number {
    return this.#ports.clock.monotonicMs() - this.#movedMs;
  }
}
