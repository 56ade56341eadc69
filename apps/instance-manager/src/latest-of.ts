import { settledOrAborted } from '@lateen/kernel';

/**
 * The progress of work as a stream: each time the reader asks, what was told last, and at the end what the work resolved to. A reader that
 * is slow misses what is old by then. Whoever stops reading, or an abort, ends the work, and this ends when the work has ended.
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
  // Awaited below, or its end is of no interest any more.
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
