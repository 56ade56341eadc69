import { AppError, isAppError } from '@lateen/errors';
import {
  type Clock,
  followSignals,
  type Logger,
  orAborted,
  type Random,
  type Semaphore,
  semaphore,
} from '@lateen/kernel';
import type { PluginLimits } from '../limits.ts';
import { programEndedCode } from '../process/ended-error.ts';
import type { PluginProcess } from '../process/plugin-process.ts';
import { endedOnceError, endedTwiceError } from './call-error.ts';
import { HeldProcess } from './held-process.ts';
import type { PluginCall, PluginStream } from './plugin-call.ts';
import { Restarts } from './restarts.ts';

export interface SupervisorOptions {
  /** Name of the program, for messages. */
  program: string;
  start(signal: AbortSignal): Promise<PluginProcess>;
  /** Called in each process before its first other call. */
  prepare?: PluginCall<unknown> | undefined;
  clock: Clock;
  random: Random;
  log: Logger;
  limits: PluginLimits;
}

/**
 * One program for one run: a process that is started for the first call, and restarted when it has ended. At most three processes at a time: one that
 * gets the calls, one that still has calls beside one that hung, and one for a second attempt.
 *
 * - When a process ends, its running calls fail. Repeatable ones are made once more, one by one, each in a process of its own, so that a call that
 * makes the program end only harms itself.
 * - A call that does not answer in time fails. Its process gets no more calls, and is ended when its other calls have answers.
 * - Processes without any answer are restarted with growing delays, and after a number of them no more.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #stopping = new AbortController();
  readonly #places: Semaphore;
  readonly #secondTries: Semaphore;
  readonly #restarts: Restarts;
  readonly #processes = new Set<PluginProcess>();
  #current: Promise<HeldProcess> | undefined;
  #retired: HeldProcess | undefined;
  #calls = 0;
  #usedMs: number;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { program, limits, clock } = options;
    const { callsInFlightMax: placesMax, callsWaitingMax: waitingMax } = limits;
    const full = () =>
      new AppError('PLUGIN_BUSY', `${waitingMax} calls wait for plugin program ${program}`, { retry: 'soon' });
    this.#places = semaphore({ placesMax, waitingMax, full });
    this.#secondTries = semaphore({ placesMax: 1, waitingMax, full });
    this.#restarts = new Restarts(options);
    this.#usedMs = clock.monotonicMs();
  }

  /** Ms since the last call; 0 while a call runs. */
  get idleMs(): number {
    return this.#calls > 0 ? 0 : this.#options.clock.monotonicMs() - this.#usedMs;
  }

  /** @throws as `PluginCaller.call` */
  async call<T>(call: PluginCall<T>, signal: AbortSignal): Promise<T> {
    this.#calls += 1;
    const either = followSignals(signal, this.#stopping.signal);
    try {
      return await this.#tryTwice(call, either.signal);
    } finally {
      either.release();
      this.#calls -= 1;
      this.#usedMs = this.#options.clock.monotonicMs();
    }
  }

  /** A slot is held, and the process kept, until the stream ends. Nothing is repeated. @throws as `call` */
  async *stream<T>(call: PluginStream<T>, signal: AbortSignal): AsyncGenerator<T, void, undefined> {
    this.#calls += 1;
    const either = followSignals(signal, this.#stopping.signal);
    let release = () => {};
    try {
      release = await this.#places.take(either.signal);
      const held = await this.#acquire(either.signal);
      yield* held.stream(call, either.signal);
    } catch (error) {
      either.signal.throwIfAborted();
      throw isAppError(error, programEndedCode) ? endedOnceError(call, error) : error;
    } finally {
      release();
      either.release();
      this.#calls -= 1;
      this.#usedMs = this.#options.clock.monotonicMs();
    }
  }

  /** Ends its processes; running calls reject. Resolves when all have ended. Safe to repeat. */
  async stop(): Promise<void> {
    this.#stopping.abort(
      new AppError('PLUGIN_HOST_CLOSED', `plugin program ${this.#options.program} is not needed any more`),
    );
    await this.#current?.catch(() => {});
    await Promise.all([...this.#processes].map((process) => process.stop()));
  }

  async #tryTwice<T>(call: PluginCall<T>, signal: AbortSignal): Promise<T> {
    const release = await this.#places.take(signal);
    try {
      const held = await this.#acquire(signal);
      return await held.call(call, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isAppError(error, programEndedCode)) throw error;
      if (!call.repeatable) throw endedOnceError(call, error);
      const { plugin, method } = call;
      this.#options.log.warn(
        { plugin, method, err: error },
        'plugin program ended during a call, which is tried once more',
      );
    } finally {
      release();
    }
    return await this.#secondTry(call, signal);
  }

  async #secondTry<T>(call: PluginCall<T>, signal: AbortSignal): Promise<T> {
    const release = await this.#secondTries.take(signal);
    let held: HeldProcess | undefined;
    try {
      // This process ends with its call in every case.
      held = await this.#startProcess(signal, () => {});
      return await held.call(call, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw isAppError(error, programEndedCode) ? endedTwiceError(call, error) : error;
    } finally {
      await held?.process.stop();
      release();
    }
  }

  /** The process that gets calls. An abort of one waiting caller does not end its start. */
  async #acquire(signal: AbortSignal): Promise<HeldProcess> {
    this.#current ??= this.#startCurrent();
    return await orAborted(this.#current, signal);
  }

  async #startCurrent(): Promise<HeldProcess> {
    try {
      await this.#restarts.next(this.#stopping.signal);
      const held = await this.#startProcess(this.#stopping.signal, (hanging) => this.#retire(hanging));
      const { ended } = held.process;
      ended.throwIfAborted();
      ended.addEventListener('abort', () => {
        if (!held.isRetired) this.#current = undefined;
        if (!held.hasAnswered) this.#restarts.useless(ended.reason);
      });
      return held;
    } catch (error) {
      this.#current = undefined;
      this.#restarts.useless(error);
      throw error;
    }
  }

  async #startProcess(signal: AbortSignal, hung: (held: HeldProcess) => void): Promise<HeldProcess> {
    const { start, prepare, clock, limits } = this.#options;
    const process = await start(signal);
    this.#processes.add(process);
    process.ended.addEventListener('abort', () => this.#processes.delete(process));
    const answered = () => this.#restarts.answered();
    const held = new HeldProcess(process, { clock, limits, answered, hung });
    try {
      if (prepare !== undefined) await held.call(prepare, signal);
    } catch (error) {
      await process.stop();
      throw error;
    }
    return held;
  }

  /** If another process hangs already, this one is ended without waiting. */
  #retire(held: HeldProcess): void {
    if (held.isRetired) return;
    this.#current = undefined;
    void this.#retired?.process.stop(true);
    this.#retired = held;
    held.retire();
  }
}
