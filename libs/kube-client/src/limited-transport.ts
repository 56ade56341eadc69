import type { Semaphore } from '@lateen/kernel';
import type { HttpAnswer, HttpTransport } from '@lateen/kube';

/**
 * Keeps a request's place from sending to the last byte of its answer. Streams have no end and hold none: their number
 * is that of the informers.
 */
export function limitedTransport(inner: HttpTransport, places: Semaphore): HttpTransport {
  const inners = new WeakMap<HttpAnswer, HttpAnswer>();
  return {
    server: inner.server,
    send: async (request) => {
      if (request.streaming) return inner.send(request);
      const release = await places.take(request.signal);
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
