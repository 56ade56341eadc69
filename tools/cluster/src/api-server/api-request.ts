import { Agent, request } from 'node:https';
import type { KeyPair } from '@lateen/certificates';
import { durationText } from '@lateen/kernel';

/** How to connect to an API server as an administrator. */
export interface ApiAccess {
  url: string;
  authority: string;
  client: KeyPair;
}

export interface ApiResponse {
  status: number;
  body: string;
}

/** An API server that is starting accepts connections before it answers; such a request is aborted and repeated. */
const requestTimeoutMs = 10_000;

/**
 * One request to the API server. The cluster tool needs five of them before anything else runs, so it does not include the product's
 * client. Resolves with any status; rejects when there is no answer.
 */
export function apiRequest(
  access: ApiAccess,
  method: 'GET' | 'PATCH',
  path: string,
  options: { body?: string; contentType?: string; signal?: AbortSignal | undefined } = {},
): Promise<ApiResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<ApiResponse>();
  const agent = new Agent({ ca: access.authority, cert: access.client.certificate, key: access.client.key });
  const call = request(
    new URL(path, access.url),
    {
      method,
      agent,
      timeout: requestTimeoutMs,
      ...(options.signal ? { signal: options.signal } : {}),
      headers: options.body === undefined ? {} : { 'content-type': options.contentType ?? 'application/json' },
    },
    (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
      );
      response.on('error', reject);
    },
  );
  call.on('timeout', () =>
    call.destroy(new Error(`no answer from ${access.url} within ${durationText(requestTimeoutMs)}`)),
  );
  call.on('error', reject);
  call.end(options.body);
  return promise.finally(() => agent.destroy());
}
