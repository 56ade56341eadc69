import { type BackoffLimits, backoffMs, type Clock, type Logger, type Random } from '@lateen/kernel';
import { type IdleGuard, idleGuard, isNotFound, keyText, type ObjectKey, type PodLogs } from '@lateen/kube';
import { LogPosition } from './log-position.ts';
import { timestampedLines } from './timestamped-lines.ts';

export interface FollowPodLogOptions {
  logs: PodLogs;
  pod: ObjectKey;
  container: string;
  /** Aborts when the container has ended: its log is complete then. */
  ended: AbortSignal;
  signal: AbortSignal;
  clock: Clock;
  random: Random;
  log: Logger;
  limits?: Partial<FollowPodLogLimits> | undefined;
}

export interface FollowPodLogLimits {
  /** Delay between a broken connection and the next. */
  backoff: BackoffLimits;
  /** Wait after a stream that ended normally: the pod's status shows the container's end a second or two later. */
  endKnownMs: number;
  /** A connection that is silent for so long after the container has ended is closed, and another one reads the rest. */
  endGraceMs: number;
  /** Additional time when the pod is gone: no other connection can read the rest, and a busy node may still be sending it. */
  goneGraceMs: number;
  /** A connection that is silent for so long may have lost its peer without notice: another one is opened. */
  silentMs: number;
  /** Attempts to read the rest once the container has ended. */
  lastReadsMax: number;
}

export const followPodLogLimits: FollowPodLogLimits = {
  backoff: { firstMs: 500, maxMs: 15_000, factor: 2, jitter: 0.2 },
  endKnownMs: 5_000,
  endGraceMs: 3_000,
  goneGraceMs: 30_000,
  silentMs: 300_000,
  lastReadsMax: 4,
};

/**
 * The log of a container, from its first byte to its last, while it is written. A broken connection is replaced, and no line is lost, repeated or
 * torn by that (see {@link LogPosition}). When the container has ended, the rest is read once more, because the end of a stream alone proves nothing:
 * the API server ends it in the same way when it loses the kubelet. Buffers at most one chunk. Ends without an error when everything was read, or
 * when the pod is gone after a stream that ended normally.
 * @throws KUBE_NOT_FOUND when the pod was deleted before its log was read; the error of the last of `lastReadsMax` reads; the signal's reason
 */
export async function* followPodLog(options: FollowPodLogOptions): AsyncGenerator<Uint8Array> {
  const { clock, random, log, ended, signal } = options;
  const limits = { ...followPodLogLimits, ...options.limits };
  const position = new LogPosition();
  let [failures, lastReads] = [0, 0];
  let sawEnd = false;
  for (;;) {
    signal.throwIfAborted();
    const isLast = ended.aborted;
    if (isLast) lastReads++;
    const connection = new LogConnection(options, limits, position);
    try {
      yield* connection.read(isLast);
      if (isLast) return;
      sawEnd = !connection.isCut;
      failures = 0;
      if (sawEnd) await quietSleep(clock, limits.endKnownMs, AbortSignal.any([signal, ended]));
    } catch (error) {
      signal.throwIfAborted();
      if (isNotFound(error) && sawEnd) return;
      if (isNotFound(error) || lastReads >= limits.lastReadsMax) throw error;
      failures = connection.gotBytes ? 1 : failures + 1;
      sawEnd &&= !connection.gotBytes;
      log.debug(
        { err: error, pod: keyText(options.pod), failures },
        'the log stream of a pod ended early; it is resumed',
      );
      const wake = isLast ? signal : AbortSignal.any([signal, ended]);
      await quietSleep(clock, backoffMs(failures, limits.backoff, random), wake);
    }
  }
}

/** One request for the log. */
class LogConnection {
  readonly #options: FollowPodLogOptions;
  readonly #limits: FollowPodLogLimits;
  readonly #position: LogPosition;
  readonly #cut = new AbortController();
  /** Each is notified of incoming data. */
  readonly #guards = new Set<IdleGuard>();
  gotBytes = false;

  constructor(options: FollowPodLogOptions, limits: FollowPodLogLimits, position: LogPosition) {
    this.#options = options;
    this.#limits = limits;
    this.#position = position;
  }

  /** True when we ended the connection. */
  get isCut(): boolean {
    return this.#cut.signal.aborted;
  }

  async *read(isLast: boolean): AsyncGenerator<Uint8Array> {
    const { logs, pod, container, signal } = this.#options;
    const { sinceTime } = this.#position;
    const over = new AbortController();
    this.#cutWhenSilent(over.signal).catch(() => {});
    if (!isLast) this.#cutAfterEnd(over.signal).catch(() => {});
    const chunks = logs.stream(pod, {
      container,
      follow: !isLast,
      timestamps: true,
      ...(sinceTime === undefined ? {} : { sinceTime }),
      signal: AbortSignal.any([signal, this.#cut.signal]),
    });
    const newBytes = this.#position.reader();
    try {
      for await (const piece of timestampedLines(chunks)) {
        this.gotBytes = true;
        for (const guard of this.#guards) guard.pause();
        yield* newBytes(piece);
        for (const guard of this.#guards) guard.touch();
      }
    } catch (error) {
      if (!this.isCut) throw error;
    } finally {
      over.abort();
    }
  }

  async #cutWhenSilent(over: AbortSignal): Promise<void> {
    await this.#silence(this.#limits.silentMs, over);
    this.#cut.abort();
  }

  async #cutAfterEnd(over: AbortSignal): Promise<void> {
    const { endGraceMs, goneGraceMs } = this.#limits;
    await abortOf(this.#options.ended, over);
    await this.#silence(endGraceMs, over);
    if (await this.#isPodGone(over)) await this.#silence(goneGraceMs, over);
    this.#cut.abort();
  }

  /** Resolves when nothing has come for `ms` from now on; time that the consumer takes does not count. */
  async #silence(ms: number, over: AbortSignal): Promise<void> {
    const idle = new AbortController();
    const guard = idleGuard(this.#options.clock, ms, () => idle.abort());
    this.#guards.add(guard);
    try {
      await abortOf(idle.signal, over);
    } finally {
      this.#guards.delete(guard);
      guard.stop();
    }
  }

  async #isPodGone(over: AbortSignal): Promise<boolean> {
    const { logs, pod, container } = this.#options;
    try {
      for await (const _ of logs.stream(pod, { container, tailLines: 1, signal: over })) return false;
      return false;
    } catch (error) {
      return isNotFound(error);
    }
  }
}

/** Resolves when the first signal aborts. @throws the reason of the second */
async function abortOf(awaited: AbortSignal, over: AbortSignal): Promise<void> {
  const either = AbortSignal.any([awaited, over]);
  if (!either.aborted) await new Promise((resolve) => either.addEventListener('abort', resolve, { once: true }));
  over.throwIfAborted();
}

/** Ends early without an error on abort; the caller checks the signals. */
const quietSleep = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  clock.sleep(ms, signal).catch(() => {});
