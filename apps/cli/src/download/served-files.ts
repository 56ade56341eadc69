import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type DownloadRequest,
  type DownloadRequestStatus,
  downloadRequestType,
  type KubeObject,
  type ResourceType,
} from '@lateen/api-types';

/** This text is no real signature, but it must be redacted like one. */
export const linkSecret = 'SECRETSIGNATURE';

export interface ServedFiles {
  /** The status of a request with a link to the file, whether the file exists or not. */
  linked(request: DownloadRequest): DownloadRequestStatus;
  close(): void;
}

/** For tests: an object store that serves `files` by `KIND NAME`, and 404 for all others. */
export async function servedFiles(files: Readonly<Record<string, Uint8Array>>): Promise<ServedFiles> {
  const server = createServer((request, response) => {
    const body = files[decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname.slice(1))];
    if (body === undefined) response.writeHead(404).end();
    else response.end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    linked: ({ spec: { target } }) => ({
      phase: 'Processed',
      downloadURL: `http://127.0.0.1:${port}/${encodeURIComponent(`${target.kind} ${target.name}`)}?X-Amz-Signature=${linkSecret}`,
    }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Operations of the in-memory cluster. */
interface ChangingCluster {
  onChange(handler: (change: { type: string; object: KubeObject }) => void): unknown;
  change<T extends KubeObject>(
    type: ResourceType<T>,
    key: { namespace: string; name: string },
    edit: (object: T) => void,
  ): unknown;
}

/** For tests: answers each DownloadRequest as a server would. Adds each request to the list that it returns. */
export function answerDownloads(
  cluster: ChangingCluster,
  answer: ((request: DownloadRequest) => DownloadRequestStatus) | undefined,
): DownloadRequest[] {
  const asked: DownloadRequest[] = [];
  cluster.onChange(({ type, object }) => {
    if (type !== 'ADDED' || object.kind !== 'DownloadRequest') return;
    const request = object as unknown as DownloadRequest;
    asked.push(structuredClone(request));
    const { namespace = '', name = '' } = request.metadata;
    if (answer === undefined) return;
    queueMicrotask(() =>
      cluster.change<DownloadRequest>(downloadRequestType, { namespace, name }, (it) => {
        it.status = answer(it);
      }),
    );
  });
  return asked;
}
