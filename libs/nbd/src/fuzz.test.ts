import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StatusLink } from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';
import { systemClock as clock, silentLogger } from '@lateen/kernel';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectStatus } from './client/connect-replica.ts';
import { serveBlocks } from './server/serve-blocks.ts';
import { MemoryDevice } from './test-peers/memory-device.ts';
import { RawClient } from './test-peers/raw-client.ts';
import {
  clientHandshakeBytes,
  scriptedServer,
  structuredHandshake,
  wholeHandshake,
} from './test-peers/scripted-server.ts';
import { encodeInfoRequest } from './wire/export-info.ts';
import { encodeClientFlags, encodeOption } from './wire/options.ts';
import { encodeChunkHead, encodeSimpleReply } from './wire/replies.ts';
import { encodeRequest } from './wire/requests.ts';

/** Set LATEEN_FUZZ_RUNS for more runs. */
const numRuns = Number(process.env.LATEEN_FUZZ_RUNS ?? 60);
const sizeBytes = 256 * 1024;

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nbd-'));
});
afterAll(() => rm(directory, { recursive: true }));

const noise = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
const uint16 = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 0xffff }));
const uint32 = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: 0, max: 2 * sizeBytes }),
  fc.integer({ min: 0, max: 0xffffffff }),
);
const place = fc.oneof(fc.bigInt({ min: 0n, max: BigInt(2 * sizeBytes) }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));

/** Splits the data at random positions, so that nothing arrives in its original chunks. */
const asSent = (parts: fc.Arbitrary<Buffer[]>) =>
  fc.tuple(parts, fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 5 })).map(([all, lengths]) => {
    const whole = Buffer.concat(all);
    const pieces: Buffer[] = [];
    for (let at = 0, i = 0; at < whole.length && i < 2000; i++) {
      const length = lengths[i % lengths.length] ?? 1;
      pieces.push(whole.subarray(at, at + length));
      at += length;
    }
    return pieces;
  });

const strange = {
  flags: uint16,
  command: uint16,
  cookieHigh: uint32,
  cookieLow: uint32,
  at: place,
  lengthBytes: uint32,
};
const likely = {
  ...strange,
  flags: fc.integer({ min: 0, max: 2 }),
  command: fc.constantFrom(0, 1, 3, 4, 6),
  at: fc.bigInt({ min: 0n, max: BigInt(sizeBytes) }),
  lengthBytes: fc.integer({ min: 0, max: 9000 }),
};
const request = fc.oneof({ weight: 9, arbitrary: fc.record(likely) }, fc.record(strange)).map((head) => {
  const data = head.command === 1 ? Math.min(head.lengthBytes, sizeBytes) : 0;
  return Buffer.concat([encodeRequest(head), Buffer.alloc(data, head.cookieLow & 0xff)]);
});
const go = encodeOption(7, encodeInfoRequest({ name: 'a', wants: [] }));
const anyOption = fc.tuple(fc.integer({ min: 0, max: 12 }), noise).map(([code, data]) => encodeOption(code, data));
const clientSays = asSent(
  fc.oneof(
    fc.array(fc.oneof(noise, request, anyOption), { maxLength: 10 }),
    fc.array(anyOption, { maxLength: 70 }).map((all) => [encodeClientFlags(3), ...all, go]),
    fc
      .array(fc.oneof({ weight: 9, arbitrary: request }, noise), { maxLength: 20 })
      .map((all) => [encodeClientFlags(3), go, ...all]),
  ),
);

/** One request of each kind, so that the data reaches the device whatever else is drawn. */
const oneOfEach = [0, 1, 3, 4, 6].map((command) => {
  const head = { flags: 0, command, cookieHigh: 0, cookieLow: command, at: 0n, lengthBytes: command === 3 ? 0 : 512 };
  return Buffer.concat([encodeRequest(head), Buffer.alloc(command === 1 ? 512 : 0)]);
});

describe('a server', () => {
  it('survives any client data, and asks its device only for valid ranges', async () => {
    const path = join(directory, 'server');
    const device = new MemoryDevice(sizeBytes);
    await using server = await serveBlocks({ path }, new Map([['a', device]]), { clock, log: silentLogger });
    await fc.assert(
      fc.asyncProperty(clientSays, fc.boolean(), async (pieces, leavesAtOnce) => {
        using raw = new RawClient(path);
        for (const piece of pieces) raw.say(piece);
        if (leavesAtOnce) raw.socket.destroy();
        else raw.socket.end();
        await raw.closed;
        using good = new RawClient(path);
        await good.go('a');
        good.ask({ lengthBytes: 100 });
        await good.hear(116);
      }),
      { numRuns, examples: [[[encodeClientFlags(3), go, ...oneOfEach], false]] },
    );
    for (const { at = 0n, lengthBytes = 1 } of device.calls) {
      expect(lengthBytes).toBeGreaterThan(0);
      expect(at + BigInt(lengthBytes)).toBeLessThanOrEqual(BigInt(sizeBytes));
    }
    expect(new Set(device.calls.map((one) => one.call)).size).toBe(5);
    await server.removeExport('a');
  });
});

const cookie = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 6 }) }, uint32);
const simple = fc
  .record({ error: fc.oneof(fc.constant(0), uint32), cookieHigh: fc.constant(0), cookieLow: cookie })
  .map(encodeSimpleReply);
const chunk = fc
  .record({
    flags: fc.integer({ min: 0, max: 1 }),
    type: fc.constantFrom(0, 1, 2, 5, 0x8001, 0x8002, 77),
    cookieHigh: fc.constant(0),
    cookieLow: cookie,
    payload: fc.oneof(noise, fc.constantFrom(Buffer.alloc(8 + 512), Buffer.alloc(12, 1))),
    claimed: fc.oneof(fc.constant(undefined), uint32),
  })
  .map(({ payload, claimed, ...head }) =>
    Buffer.concat([encodeChunkHead({ ...head, payloadBytes: claimed ?? payload.length }), payload]),
  );
const serverSays = asSent(
  fc.array(
    fc.oneof(
      noise,
      simple,
      simple.map((reply) => Buffer.concat([reply, Buffer.alloc(512)])),
      chunk,
    ),
    { maxLength: 12 },
  ),
);

describe('a link', () => {
  it.each([
    ['simple', () => wholeHandshake(BigInt(sizeBytes)), clientHandshakeBytes('a')],
    ['structured', () => structuredHandshake(BigInt(sizeBytes)), clientHandshakeBytes('a') + 16 + 44],
  ] as const)(
    'settles every request for any data of a server with %s replies, and reads the requested amount',
    async (kind, first, skipBytes) => {
      const path = join(directory, kind);
      await fc.assert(
        fc.asyncProperty(serverSays, async (pieces) => {
          let asked = 0;
          await using _ = await scriptedServer(path, first(), {
            skipBytes,
            to: (_, socket) => {
              asked += 1;
              if (asked > 1) return;
              for (const piece of pieces) socket.write(piece);
              socket.end();
            },
          });
          const contexts = kind === 'simple' ? ([] as const) : (['base:allocation'] as const);
          const link = await connectStatus({ at: { path }, exportName: 'a', clock, contexts });
          await settleAll(link);
          expect((await link.closed).code).toBe('LINK_LOST');
        }),
        { numRuns },
      );
    },
  );

  it('is created or rejected, for any data before the transmission', async () => {
    const path = join(directory, 'handshake');
    const whole = structuredHandshake(BigInt(sizeBytes));
    const said = fc.tuple(
      fc.nat(whole.length),
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 2 }),
      noise,
    );
    await fc.assert(
      fc.asyncProperty(said, async ([cut, changes, more]) => {
        const bytes = Buffer.from(whole);
        for (const [at, value] of changes) bytes[at] = value;
        await using server = await scriptedServer(path, Buffer.concat([bytes.subarray(0, cut), more]));
        const stop = new AbortController();
        const connecting = connectStatus({
          at: server,
          exportName: 'a',
          clock,
          contexts: ['base:allocation'],
          signal: stop.signal,
        });
        const outcome = await Promise.race([connecting, clock.sleep(5)]).catch((error: unknown) => error);
        stop.abort(new Error('enough'));
        const last = isAppError(outcome) ? outcome : await connecting.catch((error: Error) => error);
        if (isAppError(last)) expect(['LINK_LOST', 'LINK_REFUSED']).toContain(last.code);
        else if (last instanceof Error) expect(last.message).toBe('enough');
        else await last[Symbol.asyncDispose]();
      }),
      { numRuns },
    );
  });
});

/** One request of each kind; each must settle, with a result or an error. */
async function settleAll(link: StatusLink): Promise<void> {
  const outcomes = await Promise.allSettled([
    link.read(0n, 512),
    link.flush(),
    link.read(512n, 512),
    link.zero(0n, 10),
    link.status('base:allocation', 0n, 4096),
    link.write(0n, [Buffer.alloc(1)]),
  ]);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      expect(outcome.reason).toSatisfy((e) => isAppError(e) && e.code !== 'NBD_MISCOUNTED');
  }
  for (const read of [outcomes[0], outcomes[2]]) {
    if (read.status === 'fulfilled') expect(Buffer.concat(read.value)).toHaveLength(512);
  }
}
