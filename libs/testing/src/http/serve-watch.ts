import type { ServerResponse } from 'node:http';
import { apiVersionOf, isGone, type KubeObject, type WatchEvent } from '@lateen/kube';
import { letWorkRun } from '../clock/let-work-run.ts';
import type { FakeCluster } from '../cluster/fake-cluster.ts';
import type { RequestTarget } from './request-target.ts';
import { statusAnswer } from './status-answer.ts';

const timeoutSecondsDefault = 1_800;

/**
 * Streams a watch, one JSON document per line. A failure before the stream begins is an HTTP status, except for 410,
 * which the real server sends as an ERROR event; a later failure breaks the connection.
 */
export async function serveWatch(
  cluster: FakeCluster,
  target: RequestTarget,
  query: URLSearchParams,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const { type, namespace } = target;
  const bookmarks = query.get('allowWatchBookmarks') === 'true' || query.get('allowWatchBookmarks') === '1';
  const events = cluster
    .watch(type, {
      namespace,
      labelSelector: query.get('labelSelector') ?? '',
      fieldSelector: target.name === undefined ? (query.get('fieldSelector') ?? '') : `metadata.name=${target.name}`,
      resourceVersion: query.get('resourceVersion') || '0',
      timeoutSeconds: Number(query.get('timeoutSeconds') ?? timeoutSecondsDefault),
      signal,
    })
    [Symbol.asyncIterator]();
  const begin = () => {
    if (response.headersSent) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
  };
  const write = (event: object) => response.write(`${JSON.stringify(event)}\n`);
  try {
    const first = events.next();
    // A rejection comes at once; without one, the client must see that the watch is open.
    await Promise.race([first, letWorkRun()]);
    begin();
    for (let next = await first; next.done !== true; next = await events.next()) {
      if (next.value.type !== 'BOOKMARK' || bookmarks) write(eventBody(target, next.value));
    }
    response.end();
  } catch (error) {
    if (signal.aborted) return;
    const { httpStatus, headers, body } = statusAnswer(error);
    if (isGone(error)) {
      begin();
      write({ type: 'ERROR', object: body });
      response.end();
    } else if (response.headersSent) {
      response.destroy();
    } else {
      response.writeHead(httpStatus, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    }
  }
}

function eventBody({ type }: RequestTarget, event: WatchEvent<KubeObject>): object {
  if (event.type !== 'BOOKMARK') return event;
  const metadata = { resourceVersion: event.resourceVersion, creationTimestamp: null };
  return { type: 'BOOKMARK', object: { kind: type.kind, apiVersion: apiVersionOf(type), metadata } };
}
