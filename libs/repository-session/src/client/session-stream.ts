import type { ServiceError } from '@grpc/grpc-js';
import { AppError } from '@lateen/errors';
import { type Clock, durationText, orAborted, type Semaphore, semaphore } from '@lateen/kernel';
import type { SessionRequest, SessionResponse } from '../generated/repository-server.ts';
import type { SessionCall } from './session-call.ts';
import { sessionLost, sessionLostCode, streamFailure } from './session-errors.ts';
import { sessionLimits } from './session-limits.ts';

export type RequestBody = NonNullable<SessionRequest['request']>;
export type ResponseBody = NonNullable<SessionResponse['response']>;

interface Waiting {
  onPart(body: ResponseBody, isLast: boolean): void;
  onLost(error: unknown): void;
}

/**
 * Requests and answers over one stream. At most `inFlightMax` requests are under way, and the next one is written when the connection
 * has taken the one before. When the stream ends, every request that waits and every later one rejects with the same error.
 */
export class SessionStream {
  readonly #call: SessionCall;
  readonly #clock: Clock;
  readonly #places: Semaphore = semaphore({
    placesMax: sessionLimits.inFlightMax,
    waitingMax: sessionLimits.waitingMax,
    full: () =>
      new AppError('REPOSITORY_SESSION_BUSY', `more than ${sessionLimits.waitingMax} requests wait for the server`, {
        retry: 'soon',
      }),
  });
  readonly #waiting = new Map<bigint, Waiting>();
  /** Aborts with the error when the stream has ended. */
  readonly #over = new AbortController();
  #lastID = 0n;
  #written: Promise<void> = Promise.resolve();

  /** @param explain what is known of the end of the server, when the connection is gone; undefined when it continues */
  constructor(call: SessionCall, clock: Clock, explain: () => Promise<AppError | undefined>) {
    this.#call = call;
    this.#clock = clock;
    const loseExplained = async (error: AppError): Promise<void> => {
      const cause = error.code === sessionLostCode ? await explain() : undefined;
      this.lose(cause === undefined ? error : sessionLost(cause.message, cause));
    };
    call.listen({
      onMessage: (response) => this.#take(response),
      onEnd: (failure) => void loseExplained(endOf(failure)),
    });
  }

  /** Aborts, with the error as its reason, when the stream has ended. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /**
   * Sends one request and hands each part of its answer to `onPart`; resolves with the last.
   * @throws REPOSITORY_SESSION_LOST, also when the answer takes longer than `timeMs`, because the state of the server is not known then;
   * REPOSITORY_SESSION_DENIED; the signal's reason on abort: the server may still do what was asked
   */
  async send(
    request: RequestBody,
    { signal, timeMs, onPart }: { signal: AbortSignal; timeMs: number; onPart?: (part: ResponseBody) => void },
  ): Promise<ResponseBody> {
    const either = AbortSignal.any([signal, this.#over.signal]);
    const release = await this.#places.take(either);
    const id = ++this.#lastID;
    try {
      const answer = new Promise<ResponseBody>((resolve, reject) => {
        this.#waiting.set(id, {
          onPart: (body, isLast) => (isLast ? resolve(body) : onPart?.(body)),
          onLost: reject,
        });
      });
      // It may be lost before it is waited for.
      answer.catch(() => {});
      await this.#write({ requestId: id, request }, either);
      const late = this.#clock.deadline(timeMs);
      return await orAborted(answer, AbortSignal.any([either, late])).catch((error: unknown) => {
        if (late.aborted && !either.aborted) throw this.lose(sessionLost(`no answer within ${durationText(timeMs)}`));
        throw error;
      });
    } finally {
      this.#waiting.delete(id);
      release();
    }
  }

  /** Ends the stream with this error, unless it has ended before; returns the error that counts. */
  lose(error: AppError): unknown {
    if (!this.#over.signal.aborted) {
      this.#over.abort(error);
      for (const { onLost } of this.#waiting.values()) onLost(error);
      this.#waiting.clear();
      this.#call.cancel();
    }
    return this.#over.signal.reason;
  }

  /** One after the other: a stream that is full takes the next message when it is empty again. */
  #write(message: SessionRequest, signal: AbortSignal): Promise<void> {
    const write = async (): Promise<void> => {
      signal.throwIfAborted();
      await orAborted(this.#call.write(message), this.#over.signal);
    };
    const written = this.#written.then(write);
    this.#written = written.catch(() => {});
    return written;
  }

  /** Answers to abandoned requests are dropped. */
  #take({ requestId, response, hasMore }: SessionResponse): void {
    if (response === undefined) this.lose(sessionLost('the server has sent an answer of a kind that is not known'));
    else this.#waiting.get(requestId)?.onPart(response, !hasMore);
  }
}

function endOf(failure: Error | undefined): AppError {
  if (failure === undefined) return sessionLost('the server has ended it');
  return 'details' in failure ? streamFailure(failure as ServiceError, failure) : sessionLost(failure.message, failure);
}
