import { hostError } from '@lateen/block-engine';
import { type Clock, durationText } from '@lateen/kernel';

/** Time limits of calls to a host, in ms. A call that is abandoned continues there; the next one of its name finds its result. */
export const hostCallMs = {
  /** A query that is answered from the present state: a disk, the folders on it, the host's own information. */
  look: 20_000,
  /** A start: opens a chain, promises, serves; or starts an engine and connects it to its replicas. */
  ensure: 60_000,
  /** A stop flushes, and waits until processes have ended. */
  stop: 120_000,
  /** A folder of large files is removed. */
  delete: 300_000,
  /** A snapshot freezes a file system and asks each replica; growing does too. */
  engine: 120_000,
} as const;

/** @throws HOST_UNREACHABLE when there is no answer within the limit; what `act` throws */
export async function within<T>(
  clock: Clock,
  what: keyof typeof hostCallMs,
  signal: AbortSignal,
  act: (call: { readonly signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  const late = clock.deadline(hostCallMs[what]);
  try {
    return await act({ signal: AbortSignal.any([signal, late]) });
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error;
    const message = `the instance manager did not answer within ${durationText(hostCallMs[what])}`;
    throw hostError('HOST_UNREACHABLE', message, { cause: error });
  }
}
