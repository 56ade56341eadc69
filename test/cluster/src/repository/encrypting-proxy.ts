import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

const keyHeader = 'x-amz-server-side-encryption-customer-key';

export interface EncryptingProxy extends AsyncDisposable {
  /** `host:port` of its HTTPS side. */
  endpoint: string;
  /** The customer key of each written object, by its path; undefined for one without a key. */
  keys: ReadonlyMap<string, string | undefined>;
}

/**
 * An HTTPS proxy for an S3 server that adds the rule of SSE-C: an object can only be read with the key that it was written with, and one
 * without a key only without a key (Amazon S3 user guide, "Using server-side encryption with customer-provided keys").
 */
export async function encryptingProxy(upstream: string, tls: { cert: string; key: string }): Promise<EncryptingProxy> {
  const keys = new Map<string, string | undefined>();
  const server = createServer(tls, (asked, answer) => {
    const [path = ''] = (asked.url ?? '').split('?');
    const key = asked.headers[keyHeader] as string | undefined;
    const reads = asked.method === 'GET' || asked.method === 'HEAD';
    if (reads && keys.has(path) && keys.get(path) !== key) {
      answer.writeHead(400, { 'content-type': 'application/xml' });
      answer.end('<Error><Code>InvalidRequest</Code><Message>encryption parameters</Message></Error>');
      return;
    }
    if (asked.method === 'PUT') keys.set(path, key);
    pass(upstream, asked, answer);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    endpoint: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** The headers are passed unchanged, Host included, because they are signed. */
function pass(upstream: string, asked: IncomingMessage, answer: ServerResponse): void {
  const [host, port] = upstream.split(':');
  const { method, url: path, headers } = asked;
  const onward = request({ host, port, method, path, headers }, (from) => {
    answer.writeHead(from.statusCode ?? 502, from.headers);
    from.pipe(answer);
  });
  onward.on('error', () => answer.destroy());
  asked.pipe(onward);
}
