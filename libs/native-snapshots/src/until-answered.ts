import type { Clock } from '@lateen/kernel';

/** An answer is waited for so long after an abort: within the grace period of the controller's pod. */
export const answerGraceMs = 15_000;

/**
 * Makes a call that changes something somewhere else, where only the answer says what: an abort reaches it no sooner than
 * {@link answerGraceMs} after it. @throws what the call throws; the signal's reason when it has aborted before
 */
export async function untilAnswered<T>(
  clock: Clock,
  signal: AbortSignal,
  call: (patient: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const patient = new AbortController();
  const onAbort = () => {
    const end = () => patient.abort(signal.reason);
    clock.deadline(answerGraceMs).addEventListener('abort', end, { once: true });
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await call(patient.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
