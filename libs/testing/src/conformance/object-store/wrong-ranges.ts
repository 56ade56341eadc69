import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ObjectStore } from '@lateen/object-store';
import { expect } from 'vitest';
import { joined, pattern } from './bytes.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const whole = Buffer.from(pattern(200_000));
const range = { offset: 100, length: 5 };

/** Responses of real gateways and caches to a request for 5 bytes from 100 on. */
const rows: [name: string, status: number, headers: Record<string, string>, body: Buffer, code: string][] = [
  ['the whole object', 200, {}, whole, 'OBJECT_STORE_BAD_ANSWER'],
  ['another part', 206, { 'content-range': 'bytes 0-4/200000' }, whole.subarray(0, 5), 'OBJECT_STORE_BAD_ANSWER'],
  ['less', 206, { 'content-range': 'bytes 100-102/200000' }, whole.subarray(100, 103), 'OBJECT_STORE_BAD_ANSWER'],
  ['more', 206, { 'content-range': 'bytes 100-199/200000' }, whole.subarray(100, 200), 'OBJECT_STORE_BAD_ANSWER'],
  ['a part without a name', 206, {}, whole.subarray(100, 105), 'OBJECT_STORE_BAD_ANSWER'],
  ['what there is of it', 206, { 'content-range': 'bytes 100-102/103' }, whole.subarray(100, 103), 'OBJECT_TOO_SHORT'],
  ['a refusal', 416, { 'content-range': 'bytes */100' }, Buffer.alloc(0), 'OBJECT_TOO_SHORT'],
];

/**
 * Anything but the requested part is rejected before a byte of it is returned, and the next read works.
 * @param open opens a store on a server that responds with the handler
 */
export async function expectRefusesOtherRanges(open: (handler: Handler) => Promise<ObjectStore>): Promise<void> {
  let [status, headers, body]: [number, Record<string, string>, Buffer] = [206, {}, whole];
  const store = await open((request, response) => {
    request.resume();
    // Some clients rely on a version in each response.
    const always = { etag: '"1"', 'content-length': String(body.length) };
    response.writeHead(status, { ...always, ...headers }).end(body);
  });
  for (const [name, ...answer] of rows) {
    let code: string;
    [status, headers, body, code] = answer;
    const pieces: Uint8Array[] = [];
    const reading = (async () => {
      for await (const piece of store.read('k', { range })) pieces.push(piece);
    })();
    await expect(reading, name).rejects.toMatchObject({ code });
    expect(pieces, name).toEqual([]);
  }
  [status, headers, body] = [206, { 'content-range': 'bytes 100-104/200000' }, whole.subarray(100, 105)];
  expect(Buffer.compare(await joined(store.read('k', { range })), body)).toBe(0);
}
