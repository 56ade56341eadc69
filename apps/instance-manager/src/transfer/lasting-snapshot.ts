import { type Call, hostError, type StatusExtent, type StatusLink } from '@lateen/block-engine';
import type { OpenedChain } from '@lateen/block-transfer';
import { type AppError, isAppError } from '@lateen/errors';
import type { LeasedSnapshot } from '@lateen/instance-host';
import { type Clock, durationText, type Logger, orAborted, type Random, retry } from '@lateen/kernel';

export interface LastingSnapshotPorts {
  open(o: Call): Promise<LeasedSnapshot>;
  clock: Clock;
  random: Random;
  log: Logger;
}

export const lastingLimits = {
  /** The instance manager restarts within a second after it was killed; its node may be busy. */
  reopenMs: 120_000,
  /** Attempts for one request: after this many interruptions the snapshot counts as unreadable. */
  triesMax: 4,
  /** A replica that has not answered for so long hangs with its disk. */
  answerMs: 120_000,
} as const;

const reopenBackoff = { firstMs: 100, maxMs: 5_000, factor: 2, jitter: 0.2 };

/**
 * A snapshot of a replica that survives an interruption, such as a restart of the instance manager: it is opened again, and reads the same as before.
 * It ends when its replica does not exist any more.
 * @throws as `open`, which is retried for {@link lastingLimits}`.reopenMs` if the error allows it
 */
export async function lastingSnapshot(ports: LastingSnapshotPorts, o: Call): Promise<OpenedChain> {
  const source = new Source(ports, o);
  const first = await source.opened();
  const { sizeBytes, contexts } = first.link;
  const refuse = async () => {
    throw hostError('INVALID_ARGUMENT', 'a snapshot is read only');
  };
  const link: StatusLink = {
    sizeBytes,
    contexts,
    oldestPendingMs: undefined,
    // The link itself never closes: requests fail when it cannot be reopened any more.
    closed: new Promise<never>(() => {}),
    read: (at, lengthBytes) => source.ask(({ link: of }) => of.read(at, lengthBytes)),
    status: (context, at, lengthBytes) =>
      source.ask(({ link: of, opened }): Promise<readonly StatusExtent[]> => {
        // Depths refer to the layers of the first opening.
        if (opened.chain.join() !== first.opened.chain.join()) throw chainChanged(first);
        return of.status(context, at, lengthBytes);
      }),
    ...{ write: refuse, zero: refuse, trim: refuse, flush: refuse },
    [Symbol.asyncDispose]: () => source.close(),
  };
  return { link, chain: first.opened.chain, [Symbol.asyncDispose]: () => source.close() };
}

const chainChanged = ({ opened }: LeasedSnapshot): AppError =>
  hostError('ABORTED', `layers below snapshot ${opened.chain[0] ?? ''} were merged while it was not open`, {
    nextStep: 'Start the backup again.',
  });

class Source {
  readonly #ports: LastingSnapshotPorts;
  readonly #signal: AbortSignal;
  #current: Promise<LeasedSnapshot> | undefined;

  constructor(ports: LastingSnapshotPorts, { signal }: Call) {
    this.#ports = ports;
    this.#signal = signal;
  }

  opened(): Promise<LeasedSnapshot> {
    this.#current ??= this.#open();
    return this.#current;
  }

  async ask<T>(request: (of: LeasedSnapshot) => Promise<T>): Promise<T> {
    const { clock, log } = this.#ports;
    for (let tries = 1; ; tries++) {
      const current = this.opened();
      const of = await current;
      const late = clock.deadline(lastingLimits.answerMs);
      try {
        return await orAborted(request(of), AbortSignal.any([this.#signal, late]));
      } catch (error) {
        this.#signal.throwIfAborted();
        if (late.aborted) throw silent();
        if (!isAppError(error, 'LINK_LOST') || tries >= lastingLimits.triesMax) throw error;
        // Several requests are interrupted together; only one of them reopens the snapshot.
        if (this.#current === current) {
          log.info({ snapshot: of.opened.chain[0], err: error }, 'a snapshot was cut off and is opened again');
          this.#current = undefined;
        }
      }
    }
  }

  async #open(): Promise<LeasedSnapshot> {
    const { clock, random, open } = this.#ports;
    const policy = { backoff: reopenBackoff, budgetMs: lastingLimits.reopenMs, mayRetry: mayComeBack };
    return await retry({ clock, random }, policy, () => open({ signal: this.#signal }), this.#signal);
  }

  async close(): Promise<void> {
    const of = await this.#current?.catch(() => undefined);
    await of?.link[Symbol.asyncDispose]();
  }
}

/** The instance manager restarts, or was killed between its answer and the connection. */
const mayComeBack = (error: unknown): boolean =>
  isAppError(error) && (error.retry === 'soon' || error.code === 'LINK_LOST' || error.code === 'LINK_REFUSED');

const silent = () =>
  hostError('HOST_UNREACHABLE', `the replica has not answered for ${durationText(lastingLimits.answerMs)}`, {
    nextStep: 'Its disk may hang: make the backup from another replica.',
  });
