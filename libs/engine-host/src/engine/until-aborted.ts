import { orAborted } from '@lateen/kernel';

/** What a stream gives, until the signal aborts: then it throws the reason, also when the stream itself does not hear of it. */
export async function* untilAborted<Event>(
  stream: AsyncIterable<Event>,
  signal: AbortSignal,
): AsyncGenerator<Event, void, undefined> {
  const events = stream[Symbol.asyncIterator]();
  let hasEnded = false;
  try {
    for (;;) {
      const next = await orAborted(events.next(), signal);
      hasEnded = next.done === true;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not waited for: one that does not come back would hold us, too.
    if (!hasEnded) void Promise.resolve(events.return?.()).catch(() => {});
  }
}
