import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { S3Limits, S3StoreConfig } from '../s3-config.ts';
import { type S3Store, type S3StoreDeps, s3Store } from '../s3-store.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

export const testKeys = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret-value-1' };

const closers: (() => Promise<void>)[] = [];

/** For `afterEach`. */
export async function closeServers(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

/** A server that answers with `handler`, after the whole request is read; returns `host:port`. */
export async function serve(handler: Handler, tls?: { cert: string; key: string }): Promise<string> {
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    handler(request, response, Buffer.concat(chunks));
  };
  // A client that disconnects in the middle of its request is part of these tests.
  const survive: typeof listener = (request, response) => listener(request, response).catch(() => {});
  const server: Server = tls === undefined ? createServer(survive) : createTlsServer(tls, survive);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface Given extends Partial<S3StoreConfig> {
  limits?: Partial<S3Limits>;
  deps?: S3StoreDeps;
  serverTls?: { cert: string; key: string } | undefined;
}

/** A store on a server that answers with `handler`. */
export async function storeOn(handler: Handler, given: Given = {}): Promise<S3Store> {
  const { limits, deps, serverTls, ...config } = given;
  const store = s3Store(
    {
      bucket: 'b',
      endpoint: await serve(handler, serverTls),
      tls: serverTls !== undefined,
      verifyTls: true,
      region: '',
      pathStyle: true,
      credentials: testKeys,
      ...config,
    },
    limits,
    deps,
  );
  closers.push(() => store.close());
  return store;
}

export const answer =
  (status: number, body = '', headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

export const xmlError = (code: string, more = ''): string =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>words</Message>${more}</Error>`;
