import { type Clock, orAborted } from '@lateen/kernel';

/**
 * The events until none has come for `silentMs`; then throws `silent()`. `open` gets a signal that aborts when this ends, because
 * a stream whose peer is gone ends by nothing else.
 */
export async function* untilSilent<Event>(
  open: (signal: AbortSignal) => AsyncIterable<Event>,
  { silentMs, clock, signal, silent }: { silentMs: number; clock: Clock; signal: AbortSignal; silent: () => Error },
): AsyncGenerator<Event, void, undefined> {
  const ended = new AbortController();
  const events = open(AbortSignal.any([signal, ended.signal]))[Symbol.asyncIterator]();
  try {
    for (;;) {
      const late = clock.deadline(silentMs);
      const next = await orAborted(events.next(), late).catch((error: unknown) => {
        throw late.aborted && !signal.aborted ? silent() : error;
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    ended.abort(new DOMException('nobody reads any more', 'AbortError'));
  }
}
