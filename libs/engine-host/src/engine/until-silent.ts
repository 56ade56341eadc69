import { hostError } from '@lateen/block-engine';
import { type Clock, durationText, orAborted } from '@lateen/kernel';

export interface Silence {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly silentMs: number;
  /** What does not answer, for the error. */
  readonly who: string;
}

/**
 * The events of a stream, until the signal aborts or nothing has come for `silentMs`: then it throws, even when the stream itself does not react.
 * @throws `HOST_UNREACHABLE` after the silence; the signal's reason on abort
 */
export async function* untilSilent<Event>(
  open: (signal: AbortSignal) => AsyncIterable<Event>,
  { signal, clock, silentMs, who }: Silence,
): AsyncGenerator<Event, void, undefined> {
  const ended = new AbortController();
  const events = open(AbortSignal.any([signal, ended.signal]))[Symbol.asyncIterator]();
  try {
    for (;;) {
      const late = clock.deadline(silentMs);
      const next = await orAborted(events.next(), AbortSignal.any([signal, late])).catch((error: unknown) => {
        signal.throwIfAborted();
        throw late.aborted
          ? hostError('HOST_UNREACHABLE', `${who} has reported nothing for ${durationText(silentMs)}`)
          : error;
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    ended.abort(new DOMException('nobody reads any more', 'AbortError'));
  }
}
