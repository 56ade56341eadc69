import { settledOrAborted } from '@lateen/kernel';

/**
 * The progress of work as a stream: each read returns the newest progress, and at the end the result of the work. A slow reader misses outdated
 * progress. When the reader stops or the signal aborts, the work is aborted, and the stream ends when the work has ended.
 */
export async function* latestOf<Progress>(
  work: (tell: (progress: Progress) => void, signal: AbortSignal) => Promise<readonly Progress[]>,
  signal: AbortSignal,
): AsyncGenerator<Progress, void, undefined> {
  const leave = new AbortController();
  let latest: { progress: Progress } | undefined;
  let told = Promise.withResolvers<void>();
  const tell = (progress: Progress) => {
    latest = { progress };
    told.resolve();
  };
  let ended = false;
  const result = work(tell, AbortSignal.any([signal, leave.signal])).finally(() => {
    ended = true;
    told.resolve();
  });
  // Awaited below, or its result does not matter any more.
  result.catch(() => {});
  try {
    while (!ended) {
      await settledOrAborted(told.promise, signal);
      told = Promise.withResolvers<void>();
      if (ended || signal.aborted) break;
      const taken = latest;
      latest = undefined;
      if (taken !== undefined) yield taken.progress;
    }
    yield* await result;
  } finally {
    leave.abort(new Error('nobody reads its progress any more'));
    await result.catch(() => {});
  }
}
