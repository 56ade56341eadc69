import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type S3StoreConfig, s3Store } from '@lateen/object-store-s3';

/**
 * An experiment, not part of the product: a store on loopback that fetches each whole pack once, and answers the engine's range requests
 * from memory. Other requests are forwarded unchanged. Prints its port, and ends with its standard input.
 */
const { upstream, location } = JSON.parse(process.env.LATEEN_BENCH ?? '') as {
  upstream: string;
  location: S3StoreConfig;
};
const [host, port] = upstream.split(':');
const store = s3Store(location);
const packs = new Map<string, Promise<Uint8Array>>();
const isPack = /^\/[^/]+\/(kopia\/bench\/[pq][0-9a-f]{32}[^/?]*)$/;

const server = createServer((asked, answer) => {
  const [path = ''] = (asked.url ?? '').split('?');
  const key = asked.method === 'GET' ? isPack.exec(decodeURIComponent(path))?.[1] : undefined;
  if (key === undefined) pass(asked, answer);
  else serve(key, asked, answer).catch(() => answer.destroy());
});

async function serve(key: string, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const known = packs.get(key) ?? store.get(key);
  packs.set(key, known);
  const pack = await known;
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(asked.headers.range ?? '') ?? [];
  const first = Number(from ?? 0);
  const last = to === undefined || to === '' ? pack.length - 1 : Math.min(Number(to), pack.length - 1);
  answer.writeHead(from === undefined ? 200 : 206, {
    'content-length': last - first + 1,
    'content-range': `bytes ${first}-${last}/${pack.length}`,
    'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT',
    etag: '"1"',
  });
  answer.end(pack.subarray(first, last + 1));
}

function pass(asked: IncomingMessage, answer: ServerResponse): void {
  const { method, url: path, headers } = asked;
  const onward = ask({ host, port, method, path, headers }, (from) => {
    answer.writeHead(from.statusCode ?? 502, from.headers);
    from.pipe(answer);
  });
  onward.on('error', () => answer.destroy());
  asked.pipe(onward);
}

server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.stdin.resume().on('end', () => process.exit(0));
