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
  /** Asked of each process before its first call. */
  prepare?: PluginCall<unknown> | undefined;
  clock: Clock;
  random: Random;
  log: Logger;
  limits: PluginLimits;
}

/**
 * One program for one run: a process that is started for the first call, and anew when it has ended. At most three processes at a time: the one
 * that gets the calls, one that still has calls beside one that hung, and one for a second try.
 *
 * - A process that ends takes the calls that were under way with it. Those that may be repeated are asked once more, one by one, each in a process
 *   of its own: what makes the program end then only harms itself.
 * - A call that does not answer in time fails. Its process gets no more calls, and is ended when the others have their answers.
 * - Processes that answer nothing are started anew with growing pauses, and after some of them no more.
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

  /** How long nobody has called, in ms; 0 while a call is under way. */
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

  /** A place is held, and the process kept, as long as the pieces come. @throws as `call`; nothing is asked twice */
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

  /** Ends its processes; calls under way reject. Resolves when all are gone. Safe to repeat. */
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
      // It ends with its call in every case.
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

  /** The process that gets calls. Who waits for its start does not end it by going away. */
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

  /** One that hangs beside another that hangs is not waited for. */
  #retire(held: HeldProcess): void {
    if (held.isRetired) return;
    this.#current = undefined;
    void this.#retired?.process.stop(true);
    this.#retired = held;
    held.retire();
  }
}
