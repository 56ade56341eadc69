import { hostError } from '@lateen/block-engine';
import { type Clock, durationText } from '@lateen/kernel';

/** How long a call of a host may take, in ms. A call that is given up goes on there; the next one of its name finds what it did. */
export const hostCallMs = {
  /** A question that is answered from what is there: a disk, the folders on it, what the host says of itself. */
  look: 20_000,
  /** A start: open a chain, promise, serve; or start an engine and connect it to its replicas. */
  ensure: 60_000,
  /** A stop flushes, and waits for processes to go. */
  stop: 120_000,
  /** A folder of large files is removed. */
  delete: 300_000,
  /** A snapshot freezes a file system and asks each replica; growing does too. */
  engine: 120_000,
} as const;

/** @throws HOST_UNREACHABLE when there is no answer by then; what `act` throws */
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
