import { type Clock, followSignals } from '@lateen/kernel';
import { idleGuard } from '@lateen/kube';
import type { PluginLimits } from '../limits.ts';
import type { PluginProcess } from '../process/plugin-process.ts';
import { callError, timeLimitError } from './call-error.ts';
import { lives } from './lives.ts';
import type { PluginCall, PluginStream } from './plugin-call.ts';

export interface HeldProcessOptions {
  clock: Clock;
  limits: PluginLimits;
  /** Called for each answer, also for errors of the plugin. */
  answered(): void;
  /** Called when a call got no answer in time. */
  hung(held: HeldProcess): void;
}

/** A process in use: applies the time limit to calls, and learns from their results whether the process works. */
export class HeldProcess {
  readonly process: PluginProcess;
  readonly #options: HeldProcessOptions;
  #calls = 0;
  #answered = false;
  #retired = false;

  constructor(process: PluginProcess, options: HeldProcessOptions) {
    this.process = process;
    this.#options = options;
  }

  /** It has answered a call. */
  get hasAnswered(): boolean {
    return this.#answered;
  }

  get isRetired(): boolean {
    return this.#retired;
  }

  /**
   * The process gets no more calls, and is killed when the running ones have ended. It hangs, so asking it to end would only take the whole grace
   * period.
   */
  retire(): void {
    this.#retired = true;
    if (this.#calls === 0) void this.process.stop(true);
  }

  /** @throws PLUGIN_CALL_FAILED, PLUGIN_CALL_TIMEOUT; the process's own end; the signal's reason */
  async call<T>(call: PluginCall<T>, signal: AbortSignal): Promise<T> {
    const limit = this.#begin(signal);
    try {
      const answer = await call.run(this.process, limit);
      this.#tellAnswer();
      return answer;
    } catch (error) {
      throw await this.#failed(call, error, { limit, signal });
    } finally {
      this.#end(limit);
    }
  }

  /** As `call`; the time limit applies to each piece, and is paused while the consumer handles one. */
  async *stream<T>(call: PluginStream<T>, signal: AbortSignal): AsyncGenerator<T, void, undefined> {
    const limit = this.#begin(signal);
    try {
      for await (const piece of call.open(this.process, limit)) {
        this.#tellAnswer();
        limit.pause();
        yield piece;
        limit.touch();
      }
    } catch (error) {
      throw await this.#failed(call, error, { limit, signal });
    } finally {
      this.#end(limit);
    }
  }

  #begin(signal: AbortSignal): TimeLimit {
    this.#calls += 1;
    return timeLimit(this.#options, signal);
  }

  #end(limit: TimeLimit): void {
    limit.stop();
    this.#calls -= 1;
    if (this.#retired) this.retire();
  }

  #tellAnswer(): void {
    this.#answered = true;
    this.#options.answered();
  }

  /** @throws the signal's reason */
  async #failed(
    call: Pick<PluginCall<unknown>, 'plugin' | 'method' | 'requestBytes'>,
    error: unknown,
    { limit, signal }: { limit: TimeLimit; signal: AbortSignal },
  ): Promise<unknown> {
    const { clock, limits, hung } = this.#options;
    signal.throwIfAborted();
    if (limit.isOver()) {
      hung(this);
      return timeLimitError(call, limits.callMs);
    }
    if (!(await lives(this.process, error, clock))) return this.process.ended.reason;
    this.#tellAnswer();
    return callError(call, error, limits.replyBytesMax);
  }
}

/** The time limit of one call, or of each piece. `signal` aborts when it is exceeded, and with the caller's signal. */
type TimeLimit = ReturnType<typeof timeLimit>;

function timeLimit({ clock, limits }: HeldProcessOptions, caller: AbortSignal) {
  const { signal, abort, release } = followSignals(caller);
  let over = false;
  const end = () => {
    over = true;
    abort(new DOMException('nothing was heard in time', 'TimeoutError'));
  };
  const { touch, pause, stop } = idleGuard(clock, limits.callMs, end);
  const stopAll = () => {
    stop();
    release();
  };
  return { signal, touch, pause, stop: stopAll, isOver: () => over };
}
