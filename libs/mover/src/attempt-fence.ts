import { type FenceLimits, fenceLimits } from '@lateen/datapath';
import { AppError, describeError, isAppError } from '@lateen/errors';
import { type Clock, durationText, type Logger, type Random } from '@lateen/kernel';

export interface AttemptFencePorts {
  clock: Clock;
  random: Random;
  log: Logger;
  /**
   * Asks the API server, not a cache, whether this attempt continues. @throws DATA_PATH_ENDED,
   * DATA_PATH_NOT_OURS, DATA_PATH_GONE when it does not; anything else is no answer
   */
  ask(signal: AbortSignal): Promise<void>;
  limits?: Partial<FenceLimits> | undefined;
}

/** Keeps a mover that is cut off from writing for longer than its node-agents wait before another one may (docs/adr/0018). */
export interface AttemptFence {
  /** Resolves when the attempt is confirmed for the first time. @throws the reason when it never will be; the signal's reason */
  confirmed(signal: AbortSignal): Promise<void>;
  /** Aborts when the engine has to stop: the confirmation has run out, or the API server says that the attempt is over. */
  readonly lost: AbortSignal;
  /** Rejects when even the engine's grace period is over; the process has to end then, and take the engine with it. */
  readonly overdue: Promise<never>;
}

const answers = ['DATA_PATH_ENDED', 'DATA_PATH_NOT_OURS', 'DATA_PATH_GONE'];

/**
 * Asks until `over` aborts. A confirmation counts from the moment of its question: what has been on its way for long says
 * nothing about now, and neither does a watch, whose connection may be dead.
 */
export function attemptFence(ports: AttemptFencePorts, over: AbortSignal): AttemptFence {
  const { clock, random, log } = ports;
  const limits = { ...fenceLimits, ...ports.limits };
  const lost = new AbortController();
  const first = Promise.withResolvers<void>();
  const overdue = Promise.withResolvers<never>();
  let confirmedMs = Number.NaN;
  let unanswered: unknown;

  async function askOnce(): Promise<boolean> {
    const askedMs = clock.monotonicMs();
    const late = clock.deadline(limits.askTimeoutMs);
    try {
      await ports.ask(AbortSignal.any([over, late]));
      confirmedMs = askedMs;
      unanswered = undefined;
      first.resolve();
      return true;
    } catch (error) {
      if (over.aborted) throw error;
      if (answers.some((code) => isAppError(error, code))) {
        lost.abort(error);
        throw error;
      }
      unanswered = late.aborted ? noAnswer(limits.askTimeoutMs) : error;
      log.warn({ err: unanswered }, 'the API server has not confirmed the attempt; it is asked again');
      return false;
    }
  }

  async function keepAsking(): Promise<void> {
    for (;;) {
      const shareMs = Math.round(limits.askEveryMs * (1 - random.next() / 4));
      const pauseMs = (await askOnce()) ? shareMs : limits.askAgainMs;
      await clock.sleep(pauseMs, over);
    }
  }

  /** Sleeps until so long after the last confirmation, which may be renewed meanwhile. */
  async function sinceConfirmed(ms: number): Promise<void> {
    for (;;) {
      const leftMs = confirmedMs + ms - clock.monotonicMs();
      if (leftMs <= 0) return;
      await clock.sleep(leftMs, over);
    }
  }

  async function guard(): Promise<void> {
    await first.promise;
    await sinceConfirmed(limits.confirmedForMs);
    lost.abort(unconfirmed(limits.confirmedForMs, unanswered));
    await sinceConfirmed(limits.confirmedForMs + limits.engineStopMs);
    overdue.reject(engineHangs(limits.engineStopMs));
  }

  overdue.promise.catch(() => {});
  first.promise.catch(() => {});
  keepAsking().catch(first.reject);
  guard().catch(() => {});
  const confirmed = (signal: AbortSignal) => {
    signal.addEventListener('abort', () => first.reject(signal.reason), { once: true });
    if (signal.aborted) first.reject(signal.reason);
    return first.promise;
  };
  return { confirmed, lost: lost.signal, overdue: overdue.promise };
}

const noAnswer = (afterMs: number): AppError =>
  new AppError('KUBE_UNAVAILABLE', `the API server does not answer within ${durationText(afterMs)}`, {
    retry: 'soon',
    nextStep: 'Check the network between this node and the API server.',
  });

function unconfirmed(afterMs: number, cause: unknown): AppError {
  const why = cause === undefined ? '' : `: ${describeError(cause)}`;
  const text = `the API server has not confirmed for ${durationText(afterMs)} that this attempt continues${why}`;
  return new AppError('DATA_PATH_UNCONFIRMED', text, { retry: 'later' });
}

function engineHangs(afterMs: number): AppError {
  const text = `the engine had to stop and has not done so within ${durationText(afterMs)}; it is killed with its container`;
  return new AppError('DATA_PATH_OVERDUE', text, { retry: 'later' });
}
