import { AppError } from '@lateen/errors';
import { durationText, orAborted } from '@lateen/kernel';
import type { Core } from './core.ts';
import type { Resume } from './replica-set.ts';

interface Current {
  hasExpired: boolean;
  readonly stop: AbortController;
}

/** Holds new requests back and lets pending ones end, for a bounded time. */
export class Pause {
  readonly #core: Core;
  #current: Current | undefined;

  constructor(core: Core) {
    this.#core = core;
  }

  /** True from the moment when nothing is pending until requests continue. */
  get isOn(): boolean {
    return this.#current !== undefined && this.#core.gate.isDrained;
  }

  /** @throws AppError `NOT_PAUSED` */
  assertOn(what: string): void {
    if (!this.isOn) throw new AppError('NOT_PAUSED', `${what} only while the engine is paused`, { retry: 'soon' });
  }

  async begin({ maxMs, signal }: { maxMs: number; signal: AbortSignal }): Promise<Resume> {
    signal.throwIfAborted();
    const core = this.#core;
    if (this.#current !== undefined)
      throw new AppError('PAUSED_ALREADY', 'the engine is paused for something else', { retry: 'soon' });
    if (core.over !== undefined) throw core.over;
    const stop = new AbortController();
    const pause: Current = { hasExpired: false, stop };
    this.#current = pause;
    core.gate.close();
    void core.options.clock.sleep(maxMs, AbortSignal.any([stop.signal, core.overSignal])).then(
      () => {
        pause.hasExpired = true;
        this.#end(pause);
      },
      () => {},
    );
    try {
      await orAborted(core.gate.idle(), AbortSignal.any([signal, stop.signal, core.overSignal]));
    } catch (error) {
      this.#end(pause);
      if (!pause.hasExpired) throw error;
    }
    if (pause.hasExpired)
      throw this.#tooLate('PAUSE_TIMEOUT', `requests under way have not ended within ${durationText(maxMs)}`);
    core.changes.tell({ kind: 'paused' });
    return () => this.#resume(pause, maxMs);
  }

  async #resume(pause: Current, maxMs: number): Promise<void> {
    if (pause.hasExpired)
      throw this.#tooLate('PAUSE_EXPIRED', `requests continued by themselves after a pause of ${durationText(maxMs)}`);
    this.#end(pause);
  }

  #end(pause: Current): void {
    if (this.#current !== pause) return;
    this.#current = undefined;
    pause.stop.abort();
    for (const member of this.#core.members) {
      if (member.isRelinking)
        this.#core.fail(member, { kind: 'not-back', message: 'the pause ended before its new connection was there' });
    }
    this.#core.gate.open();
    this.#core.changes.tell({ kind: 'resumed' });
  }

  #tooLate(code: string, message: string): AppError {
    return new AppError(code, message, { retry: 'soon', nextStep: 'undo what was done meanwhile and try again' });
  }
}
