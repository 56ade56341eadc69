import type { HttpAnswer, HttpTransport } from '@lateen/kube';
import type { Slots } from './slots.ts';

/**
 * Keeps a request's slot from sending to the last byte of its answer. Streams have no end and hold none: their number
 * is that of the informers.
 */
export function limitedTransport(inner: HttpTransport, slots: Slots): HttpTransport {
  const inners = new WeakMap<HttpAnswer, HttpAnswer>();
  return {
    server: inner.server,
    send: async (request) => {
      if (request.streaming) return inner.send(request);
      const release = await slots.take(request.signal);
      try {
        const answer = await inner.send(request);
        const held = { status: answer.status, header: answer.header, body: releasing(answer.body, release) };
        inners.set(held, answer);
        return held;
      } catch (error) {
        release();
        throw error;
      }
    },
    refreshCredentials: async (answer) => inner.refreshCredentials(inners.get(answer) ?? answer),
  };
}

async function* releasing(body: AsyncIterable<Uint8Array>, release: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    release();
  }
}
