import { AppError, isAppError } from '@lateen/errors';
import { type BackoffLimits, type Clock, type Random, Retries } from '@lateen/kernel';
import type { ByteRange, ObjectStore } from '@lateen/object-store';
import type { ReadRequest } from './read-request.ts';
import type { RequestsInFlight } from './requests-in-flight.ts';

export interface PackBytes extends ByteRange {
  packId: string;
}

export interface FetchDeps {
  inFlight: RequestsInFlight;
  store: Pick<ObjectStore, 'read'>;
  keyOf(packId: string): string;
  clock: Clock;
  random: Random;
  onRequest(request: ReadRequest): void;
}

/** The reader waits for a store that is unreachable for a minute: beginning a restore again costs more. */
export const fetchRetries = {
  /** Tries that bring nothing, one after the other. */
  attemptsMax: 8,
  /** An attempt that has transferred this much does not count as failed: the next one continues where it ended. */
  progressBytes: 64 * 1024,
  backoff: { firstMs: 200, maxMs: 20_000, factor: 2.5, jitter: 0.5 } satisfies BackoffLimits,
};

/** What came behind the first piece, which came when it was ready. */
const measuredBytesMin = 64 * 1024;

/**
 * Fills `into` with as many bytes of a pack, from `offset` on. What was cut off is asked for from where it ended.
 * @param onFilled told how much of it is there, as it comes
 * @throws the store's error after its retries; PACK_CUT; the signal's reason
 */
export async function fetchRange(
  deps: FetchDeps,
  { packId, offset }: Pick<PackBytes, 'packId' | 'offset'>,
  into: Uint8Array,
  onFilled: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { attemptsMax, progressBytes, backoff } = fetchRetries;
  const { length } = into;
  const policy = { attemptsMax, backoff, mayRetry: (error: unknown) => isAppError(error) && error.retry === 'soon' };
  let tries = new Retries(deps, policy, signal);
  let filled = 0;
  while (filled < length) {
    const before = filled;
    try {
      const left = { offset: offset + filled, length: length - filled };
      for await (const piece of piecesOf(deps, { packId, range: left }, signal)) {
        into.set(piece, filled);
        filled += piece.length;
        onFilled(filled);
      }
    } catch (error) {
      signal.throwIfAborted();
      // All came, and what failed was the end of it.
      if (filled === length) return;
      if (isAppError(error, 'OBJECT_TOO_SHORT')) throw packCut(packId, error);
      if (filled - before >= progressBytes) tries = new Retries(deps, policy, signal);
      await tries.afterFailure(error);
    }
  }
}

/**
 * The answer to one request, piece by piece, when its turn has come; each is counted when it ends, however it does.
 * @param wanted the whole pack when it names no part of it
 */
export async function* piecesOf(
  { store, keyOf, clock, inFlight, onRequest }: FetchDeps,
  { packId, range }: { packId: string; range?: ByteRange },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const leave = await inFlight.begin(signal);
  const startMs = clock.monotonicMs();
  let latencyMs: number | undefined;
  let [bytes, firstBytes] = [0, 0];
  let failure: { error?: unknown } = {};
  try {
    for await (const piece of store.read(keyOf(packId), { signal, range })) {
      signal.throwIfAborted();
      if (latencyMs === undefined) [latencyMs, firstBytes] = [clock.monotonicMs() - startMs, piece.length];
      bytes += piece.length;
      inFlight.received(piece.length);
      yield piece;
    }
  } catch (error) {
    failure = { error };
    throw error;
  } finally {
    const durationMs = clock.monotonicMs() - startMs;
    const bytesPerMs = speed(bytes - firstBytes, durationMs - (latencyMs ?? durationMs));
    const ended: ReadRequest = { packId, range, bytes, latencyMs, durationMs, bytesPerMs, ...failure };
    inFlight.ended(ended);
    leave();
    onRequest(ended);
  }
}

const speed = (bytes: number, ms: number): number | undefined =>
  bytes < measuredBytesMin ? undefined : bytes / Math.max(ms, 0.1);

const packCut = (packId: string, cause: AppError): AppError =>
  new AppError('PACK_CUT', `pack ${packId} of the repository is shorter than its index says`, {
    cause,
    nextStep: 'Restore the object from a copy of the bucket, or restore from another backup.',
  });
