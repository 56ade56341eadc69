import { isAppError } from '@lateen/errors';
import { type RetryPolicy, type RetryPorts, retry } from '@lateen/kernel';
import type { ServerSession } from '../client/server-session.ts';
import { sessionLostCode } from '../client/session-errors.ts';

/** A lost session is opened again twice for each stage; a server that cannot hold its memory is found out by then. */
const attemptsMax = 3;

export interface KeeperOptions extends RetryPorts {
  /** A new session; see {@link import('../open-server-session.ts').openServerSession}. */
  open(signal: AbortSignal): Promise<ServerSession>;
  /** Told of each session that was lost and is opened again. */
  onLost?(error: unknown): void;
}

/** A stage of work: what it writes counts when it ends with a flush, and it can be done again from its beginning. */
export type Stage<T> = (session: ServerSession, attempt: number) => Promise<T>;

/** Holds one session at a time for stages of work, and opens a new one for a stage whose session was lost. */
export class SessionKeeper {
  readonly #options: KeeperOptions;
  #session: ServerSession | undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** @throws what the stage throws; REPOSITORY_SESSION_LOST after three attempts; the signal's reason on abort */
  run<T>(stage: Stage<T>, signal: AbortSignal): Promise<T> {
    const policy: RetryPolicy = {
      backoff: { firstMs: 500, maxMs: 5_000, factor: 2, jitter: 0.2 },
      attemptsMax,
      mayRetry: (error) => isAppError(error, sessionLostCode),
      onRetry: ({ error }) => this.#options.onLost?.(error),
    };
    return retry(this.#options, policy, (attempt) => this.#once(stage, attempt, signal), signal);
  }

  async #once<T>(stage: Stage<T>, attempt: number, signal: AbortSignal): Promise<T> {
    try {
      this.#session ??= await this.#options.open(signal);
      return await stage(this.#session, attempt);
    } catch (error) {
      // The server is gone before another one is asked what is stored.
      if (isAppError(error, sessionLostCode)) await this.close();
      throw error;
    }
  }

  /** Ends the session, if there is one. */
  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }
}
