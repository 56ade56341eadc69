import type { KubeObject } from '@lateen/api-types';
import type { WatchEvent } from '../kube-api.ts';
import { kubeError, kubeErrorFromStatus, type StatusBody } from '../kube-error.ts';
import { splitLines } from './lines.ts';

export interface WatchContext {
  purpose: string;
  server: string;
  /** The longest event taken; etcd holds objects of 1.5 MB by default. */
  lineBytesMax: number;
}

interface RawEvent {
  type?: unknown;
  object?: unknown;
}

/**
 * The events of a watch's body, one JSON document per line.
 * @throws what an ERROR event says (KUBE_GONE …); KUBE_UNAVAILABLE when the stream ends inside of an event;
 *   KUBE_BAD_ANSWER for what is no watch event, or longer than the limit
 */
export async function* watchEvents<T extends KubeObject>(
  body: AsyncIterable<Uint8Array>,
  context: WatchContext,
): AsyncGenerator<WatchEvent<T>> {
  const about = `cannot ${context.purpose} at ${context.server}`;
  const tooLong = () => kubeError('KUBE_BAD_ANSWER', `${about}: an event is longer than ${context.lineBytesMax} bytes`);
  for await (const line of splitLines(body, { bytesMax: context.lineBytesMax, tooLong })) {
    if (line.text === '') continue;
    yield eventOf<T>(parseLine(line, about), about, context.purpose);
  }
}

function parseLine(line: { text: string; terminated: boolean }, about: string): RawEvent {
  try {
    const event: unknown = JSON.parse(line.text);
    if (typeof event === 'object' && event !== null) return event;
  } catch (cause) {
    // The server ends every event with a line feed: without it, the connection broke in the middle.
    if (!line.terminated) throw kubeError('KUBE_UNAVAILABLE', `${about}: the stream ended inside an event`, { cause });
    throw kubeError('KUBE_BAD_ANSWER', `${about}: the stream holds a line that is not JSON`, { cause });
  }
  throw kubeError('KUBE_BAD_ANSWER', `${about}: the stream has a line that is not an event`);
}

function eventOf<T extends KubeObject>(event: RawEvent, about: string, purpose: string): WatchEvent<T> {
  const object = event.object as T | undefined;
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      if (object?.metadata === undefined) break;
      return { type: event.type, object };
    case 'BOOKMARK': {
      const resourceVersion = object?.metadata?.resourceVersion;
      if (resourceVersion === undefined) break;
      return { type: 'BOOKMARK', resourceVersion };
    }
    case 'ERROR': {
      const status = (object ?? {}) as StatusBody;
      throw kubeErrorFromStatus(status.code ?? 500, status, `cannot ${purpose}`);
    }
  }
  throw kubeError(
    'KUBE_BAD_ANSWER',
    `${about}: the stream holds an event of the type ${JSON.stringify(event.type)} that is not known or has no object`,
  );
}
