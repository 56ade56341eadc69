import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StatusLink } from '@lateen/block-engine';
import { systemClock as clock } from '@lateen/kernel';
import { FakeClock } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  clientHandshakeBytes,
  scriptedServer,
  structuredHandshake,
  wholeHandshake,
} from '../test-peers/scripted-server.ts';
import { fixture } from '../wire/fixture.ts';
import { exportFlag } from '../wire/numbers.ts';
import { encodeChunkHead, encodeSimpleReply } from '../wire/replies.ts';
import type { RequestHead } from '../wire/requests.ts';
import { connectReplica, connectStatus } from './connect-replica.ts';

let path = '';
let directory = '';
let stack: AsyncDisposableStack;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nbd-'));
  path = join(directory, 's');
  stack = new AsyncDisposableStack();
});
afterEach(async () => {
  await stack.disposeAsync();
  await rm(directory, { recursive: true });
});

type Answer = (request: RequestHead, socket: Socket) => void;
const mebibyte = 1024n * 1024n;

async function linkTo(to: Answer, exportFlags?: number) {
  const answer = { skipBytes: clientHandshakeBytes('a'), to };
  stack.use(await scriptedServer(path, wholeHandshake(mebibyte, exportFlags), answer));
  return stack.use(await connectReplica({ at: { path }, exportName: 'a', clock }));
}

/** With structured replies; the client sends two more options. */
async function structuredLinkTo(to: Answer): Promise<StatusLink> {
  const contextQuery = 16 + 4 + 1 + 4 + 4 + 'base:allocation'.length;
  const answer = { skipBytes: clientHandshakeBytes('a') + 16 + contextQuery, to };
  stack.use(await scriptedServer(path, structuredHandshake(mebibyte), answer));
  const link = await connectStatus({ at: { path }, exportName: 'a', clock, contexts: ['base:allocation'] });
  return stack.use(link);
}

function chunkOf(request: RequestHead, type: number, payload: Uint8Array, flags = 0): Buffer {
  const { cookieHigh, cookieLow } = request;
  return Buffer.concat([
    encodeChunkHead({ flags, type, cookieHigh, cookieLow, payloadBytes: payload.length }),
    payload,
  ]);
}
const dataChunk = (request: RequestHead, from: number, data: Uint8Array, flags = 0) => {
  const at = Buffer.alloc(8);
  at.writeBigUInt64BE(BigInt(from));
  return chunkOf(request, 1, Buffer.concat([at, data]), flags);
};

describe('a handshake with a server that is not a replica', () => {
  it.each([
    ['a web server', `'HTTP/1.1 400 Bad Request'`, /does not speak NBD/],
    ['an oldstyle server', `'NBDMAGIC' 00 00 42 02 81 86 12 53  00 00 00 00 00 10 00 00 00 00`, /does not speak/],
    ['a server without fixed newstyle', `'NBDMAGIC' 'IHAVEOPT' 00 00`, /fixed newstyle/],
    ['a reply with a wrong magic number', `'NBDMAGIC' 'IHAVEOPT' 00 03 'xxxxxxxxxxxxxxxxxxxx'`, /not NBD/],
    [
      'a reply to another option',
      `'NBDMAGIC' 'IHAVEOPT' 00 03  00 03 e8 89 04 55 65 a9  00 00 00 03 00 00 00 01 00 00 00 00`,
      /nothing that was asked/,
    ],
    [
      'a reply of four gigabytes',
      `'NBDMAGIC' 'IHAVEOPT' 00 03  00 03 e8 89 04 55 65 a9  00 00 00 07 00 00 00 03 ff ff ff ff`,
      /4294967295 bytes/,
    ],
    [
      'an export without a size',
      `'NBDMAGIC' 'IHAVEOPT' 00 03  00 03 e8 89 04 55 65 a9  00 00 00 07 00 00 00 01 00 00 00 00`,
      /without a size/,
    ],
    [
      'a server that accepts only whole sectors',
      `'NBDMAGIC' 'IHAVEOPT' 00 03  00 03 e8 89 04 55 65 a9  00 00 00 07 00 00 00 03 00 00 00 0e 00 03 00 00 02 00 00 00 10 00 02 00 00 00`,
      /512 to 33554432/,
    ],
    [
      'a server that requires TLS',
      `'NBDMAGIC' 'IHAVEOPT' 00 03  00 03 e8 89 04 55 65 a9  00 00 00 07 80 00 00 05 00 00 00 00`,
      /TLS/,
    ],
  ])('ends: %s', async (_, said, message) => {
    stack.use(await scriptedServer(path, fixture(said)));
    const error = await connectReplica({ at: { path }, exportName: 'a', clock }).catch((e) => e);
    expect(error).toMatchObject({ code: 'LINK_LOST' });
    expect(error.cause.message).toMatch(message);
  });

  it('ends when the info replies do not end', async () => {
    const fact = fixture(`00 03 e8 89 04 55 65 a9  00 00 00 07 00 00 00 03 00 00 00 02  00 09`);
    const said = Buffer.concat([fixture(`'NBDMAGIC' 'IHAVEOPT' 00 03`), ...Array.from({ length: 1000 }, () => fact)]);
    stack.use(await scriptedServer(path, said));
    const error = await connectReplica({ at: { path }, exportName: 'a', clock }).catch((e) => e);
    expect(error.cause.message).toMatch(/without end/);
  });

  it('ends at a timeout when nothing arrives, and at once on an abort', async () => {
    stack.use(await scriptedServer(path, Buffer.from('NBD')));
    const fake = new FakeClock();
    const late = connectReplica({ at: { path }, exportName: 'a', clock: fake, connectTimeoutMs: 3_000 });
    const lost = expect(late).rejects.toMatchObject({
      code: 'LINK_LOST',
      message: expect.stringMatching(/within 3s/),
    });
    await fake.advance(3_000);
    await lost;
    const stop = new AbortController();
    const aborted = connectReplica({ at: { path }, exportName: 'a', clock, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
  });

  it("keeps the server's error message without the export name", async () => {
    const words = `export 'tok-77.x' not present`;
    const head = fixture(`'NBDMAGIC' 'IHAVEOPT' 00 03  00 03 e8 89 04 55 65 a9  00 00 00 07 80 00 00 06 00 00 00 1d`);
    stack.use(await scriptedServer(path, Buffer.concat([head, Buffer.from(words)])));
    const error = await connectReplica({ at: { path }, exportName: 'tok-77.x', clock }).catch((e) => e);
    expect(error).toMatchObject({ code: 'LINK_REFUSED', message: expect.stringContaining(`'(export)' not present`) });
  });
});

describe('a reply to no request', () => {
  it.each([
    ['an unknown cookie', (r: RequestHead) => encodeSimpleReply({ ...r, error: 0, cookieLow: r.cookieLow + 9 })],
    ['a cookie above all used ones', (r: RequestHead) => encodeSimpleReply({ ...r, error: 0, cookieHigh: 0xffffffff })],
    ['no reply magic', () => Buffer.alloc(16, 0x42)],
    ['a chunk without structured replies', (r: RequestHead) => chunkOf(r, 0, Buffer.alloc(0), 1)],
  ])('ends the link: %s', async (_, reply) => {
    const link = await linkTo((request, socket) => void socket.write(reply(request)));
    const both = [link.flush(), link.read(0n, 10)];
    for (const one of both) await expect(one).rejects.toMatchObject({ code: 'LINK_LOST' });
    expect(await link.closed).toMatchObject({ message: expect.stringContaining('not NBD') });
  });

  it('ends the link: the same reply twice', async () => {
    const link = await linkTo((request, socket) => {
      const reply = encodeSimpleReply({ ...request, error: 0 });
      socket.write(Buffer.concat([reply, reply]));
    });
    await link.flush();
    expect(await link.closed).toMatchObject({ code: 'LINK_LOST' });
  });
});

describe('a connection that is cut in the middle of a reply', () => {
  it('fails with LINK_LOST, and never gives a shorter read', async () => {
    const link = await linkTo((request, socket) => {
      socket.end(Buffer.concat([encodeSimpleReply({ ...request, error: 0 }), Buffer.alloc(4095)]));
    });
    await expect(link.read(0n, 4096)).rejects.toMatchObject({ code: 'LINK_LOST' });
  });
});

describe('an export with fewer features', () => {
  it('gets no request for a missing feature', async () => {
    let asked = 0;
    const link = await linkTo((request, socket) => {
      asked += 1;
      socket.write(encodeSimpleReply({ ...request, error: 0 }));
    }, exportFlag.HAS_FLAGS);
    const unknown = { code: 'REPLICA_IO', details: { errno: 'ENOTSUP' } };
    await expect(link.flush()).rejects.toMatchObject(unknown);
    await expect(link.trim(0n, 1)).rejects.toMatchObject(unknown);
    await expect(link.zero(0n, 1)).rejects.toMatchObject(unknown);
    await expect(link.write(0n, [Buffer.alloc(1)], { fua: true })).rejects.toMatchObject(unknown);
    expect(asked).toBe(0);
  });
  it('that is read-only gets no write', async () => {
    const link = await linkTo(() => {}, exportFlag.HAS_FLAGS | exportFlag.READ_ONLY);
    const write = link.write(0n, [Buffer.alloc(1)]);
    await expect(write).rejects.toMatchObject({ code: 'REPLICA_IO', details: { errno: 'EPERM' } });
  });
});

describe('structured replies', () => {
  it('are assembled from parts in any order, with holes as zeros', async () => {
    const link = await structuredLinkTo((request, socket) => {
      socket.write(dataChunk(request, 106, Buffer.from('world')));
      socket.write(chunkOf(request, 2, fixture('00 00 00 00 00 00 00 69  00 00 00 01')));
      socket.write(dataChunk(request, 100, Buffer.from('hello')));
      socket.write(chunkOf(request, 0, Buffer.alloc(0), 1));
    });
    expect(Buffer.concat(await link.read(100n, 11)).toString()).toBe('hello\0world');
  });

  it.each([
    ['a missing part', (r: RequestHead) => [dataChunk(r, 0, Buffer.alloc(10), 1)]],
    [
      'overlapping parts',
      (r: RequestHead) => [dataChunk(r, 0, Buffer.alloc(10)), dataChunk(r, 9, Buffer.alloc(10), 1)],
    ],
    ['a part before the read', (r: RequestHead) => [dataChunk(r, 1_000_000, Buffer.alloc(4), 1)]],
    ['more data than requested', (r: RequestHead) => [dataChunk(r, 0, Buffer.alloc(21), 1)]],
    [
      'a hole of four gigabytes',
      (r: RequestHead) => [chunkOf(r, 2, fixture('00 00 00 00 00 00 00 00  ff ff ff ff'), 1)],
    ],
    ['an empty hole', (r: RequestHead) => [chunkOf(r, 2, fixture('00 00 00 00 00 00 00 00  00 00 00 00'), 1)]],
    ['a status', (r: RequestHead) => [chunkOf(r, 5, fixture('00 00 00 05  00 00 00 14 00 00 00 00'), 1)]],
    ['an unknown kind', (r: RequestHead) => [chunkOf(r, 77, Buffer.alloc(0), 1)]],
    ['a simple reply', (r: RequestHead) => [encodeSimpleReply({ ...r, error: 0 })]],
    ['a truncated error', (r: RequestHead) => [chunkOf(r, 0x8001, fixture('00 00 00 05'), 1)]],
    [
      'parts of single bytes',
      (r: RequestHead) => Array.from({ length: 20 }, (_, i) => dataChunk(r, i, Buffer.alloc(1))),
    ],
  ])('end the link when a read has %s', async (_, chunks) => {
    const link = await structuredLinkTo((request, socket) => void socket.write(Buffer.concat(chunks(request))));
    await expect(link.read(0n, 20)).rejects.toMatchObject({ code: 'LINK_LOST' });
  });

  it('return errors, even between parts, and the link continues', async () => {
    const said = Buffer.concat([fixture('00 00 00 1c 00 05'), Buffer.from('oh no')]);
    const link = await structuredLinkTo((request, socket) => {
      if (request.command === 3) socket.write(encodeSimpleReply({ ...request, error: 0 }));
      else {
        socket.write(dataChunk(request, 0, Buffer.alloc(10)));
        socket.write(chunkOf(request, 0x8001, said));
        socket.write(chunkOf(request, 0x8002, Buffer.concat([fixture('00 00 00 05 00 00'), Buffer.alloc(8)]), 1));
      }
    });
    await expect(link.read(0n, 20)).rejects.toMatchObject({ code: 'REPLICA_IO', details: { errno: 'ENOSPC' } });
    await link.flush();
  });

  it('return the status of the requested context', async () => {
    const link = await structuredLinkTo((request, socket) => {
      socket.write(chunkOf(request, 5, fixture('00 00 00 09  00 00 10 00 00 00 00 07')));
      socket.write(chunkOf(request, 5, fixture('00 00 00 05  00 00 10 00 00 00 00 00  00 00 30 00 00 00 00 03'), 1));
    });
    expect(link.contexts).toEqual(['base:allocation']);
    expect(await link.status('base:allocation', 0n, 8192)).toEqual([
      { lengthBytes: 4096, value: 0 },
      { lengthBytes: 12_288, value: 3 },
    ]);
    await expect(link.status('qemu:allocation-depth', 0n, 1)).rejects.toMatchObject({ code: 'BLOCK_RANGE' });
  });

  it.each([
    ['no status', (r: RequestHead) => chunkOf(r, 0, Buffer.alloc(0), 1)],
    ['an empty run', (r: RequestHead) => chunkOf(r, 5, fixture('00 00 00 05  00 00 00 00 00 00 00 00'), 1)],
    ['half a run', (r: RequestHead) => chunkOf(r, 5, fixture('00 00 00 05  00 00 00 10 00 00'), 1)],
    ['data', (r: RequestHead) => dataChunk(r, 0, Buffer.alloc(4), 1)],
  ])('end the link when a status brings %s', async (_, reply) => {
    const link = await structuredLinkTo((request, socket) => void socket.write(reply(request)));
    await expect(link.status('base:allocation', 0n, 4096)).rejects.toMatchObject({ code: 'LINK_LOST' });
  });
});
