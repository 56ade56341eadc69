import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlockServer } from '@lateen/block-engine';
import { systemClock as clock, silentLogger } from '@lateen/kernel';
import { FakeClock } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryDevice } from '../test-peers/memory-device.ts';
import { RawClient } from '../test-peers/raw-client.ts';
import { fixture } from '../wire/fixture.ts';
import { command } from '../wire/numbers.ts';
import { encodeOption, parseOptionReplyHead } from '../wire/options.ts';
import { parseSimpleReply } from '../wire/replies.ts';
import { type ServeOptions, serveBlocks } from './serve-blocks.ts';

const MiB = 1024 * 1024;
let path = '';
let directory = '';
let stack: AsyncDisposableStack;
let device: MemoryDevice;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nbd-'));
  path = join(directory, 's');
  stack = new AsyncDisposableStack();
  device = new MemoryDevice(8 * MiB);
});
afterEach(async () => {
  await stack.disposeAsync();
  await rm(directory, { recursive: true });
});

async function serve(o: Partial<ServeOptions> = {}): Promise<BlockServer> {
  return stack.use(await serveBlocks({ path }, new Map([['a', device]]), { clock, log: silentLogger, ...o }));
}
const client = () => stack.use(new RawClient(path));
const atLeastHeld = async (n: number) => {
  while (device.held.length < n) await clock.sleep(1);
};
/** Long enough for everything in transit between two ends in one process. */
const settle = () => clock.sleep(30);

async function reply(from: RawClient): Promise<{ option: number; type: number; data: string }> {
  const head = parseOptionReplyHead(await from.hear(20));
  if (head === undefined) throw new Error('no option reply');
  return { option: head.option, type: head.type, data: (await from.hear(head.dataBytes)).toString('latin1') };
}
const errorIn = async (from: RawClient) => parseSimpleReply(await from.hear(16))?.error;

describe('options', () => {
  it('that are unknown are rejected, and the handshake continues', async () => {
    await serve();
    const raw = client();
    expect(await raw.hear(18)).toEqual(fixture(`'NBDMAGIC' 'IHAVEOPT' 00 03`));
    raw.say(fixture('00 00 00 03'), ...[5, 8, 9, 10, 11, 4711].map((code) => encodeOption(code, Buffer.alloc(9))));
    for (const code of [5, 8, 9, 10, 11, 4711]) {
      expect(await reply(raw)).toMatchObject({ option: code, type: 0x80000001 });
    }
    raw.say(encodeOption(6, fixture(`00 00 00 01 'a' 00 00`)));
    expect(await reply(raw)).toMatchObject({
      type: 3,
      data: fixture('00 00 00 00 00 00 00 80 00 00 01 6d').toString('latin1'),
    });
    expect(await reply(raw)).toMatchObject({ type: 3 });
    expect(await reply(raw)).toMatchObject({ type: 1 });
    raw.say(encodeOption(6, fixture(`00 00 00 01 'b' 00 00`)), encodeOption(7, fixture(`00 00 00 09 'b' 00 00`)));
    expect(await reply(raw)).toMatchObject({ type: 0x80000006 });
    expect(await reply(raw)).toMatchObject({ type: 0x80000003 });
    raw.say(encodeOption(2));
    expect(await reply(raw)).toMatchObject({ option: 2, type: 1 });
    await raw.closed;
  });

  it('list the export names only when allowed', async () => {
    await serve();
    const raw = client();
    await raw.hear(18);
    raw.say(fixture('00 00 00 03'), encodeOption(3));
    expect(await reply(raw)).toMatchObject({ type: 0x80000002, data: '' });
    await stack.disposeAsync();
    stack = new AsyncDisposableStack();
    await serve({ listExports: true });
    const other = client();
    await other.hear(18);
    other.say(fixture('00 00 00 03'), encodeOption(3), encodeOption(3, Buffer.alloc(1)));
    expect(await reply(other)).toMatchObject({ type: 2, data: '\0\0\0\x01a' });
    expect(await reply(other)).toMatchObject({ type: 1 });
    expect(await reply(other)).toMatchObject({ type: 0x80000003 });
  });

  it('in the old style work, with and without padding zeros', async () => {
    await serve();
    for (const [flags, zeros] of [
      ['00 00 00 03', 0],
      ['00 00 00 01', 124],
    ] as const) {
      const raw = client();
      await raw.hear(18);
      raw.say(fixture(flags), encodeOption(1, Buffer.from('a')));
      expect(await raw.hear(10 + zeros)).toEqual(
        Buffer.concat([fixture('00 00 00 00 00 80 00 00  01 6d'), Buffer.alloc(zeros)]),
      );
      raw.ask({ command: command.FLUSH });
      expect(await errorIn(raw)).toBe(0);
    }
    const raw = client();
    await raw.hear(18);
    raw.say(fixture('00 00 00 03'), encodeOption(1, Buffer.from('b')));
    await raw.closed;
  });

  it.each([
    ['a client without fixed newstyle', fixture('00 00 00 00')],
    ['unknown flags', fixture('00 00 00 07')],
    ['a wrong magic number', Buffer.concat([fixture('00 00 00 03'), Buffer.alloc(16, 0x42)])],
    ['an option of four gigabytes', fixture(`00 00 00 03 'IHAVEOPT' 00 00 00 07 ff ff ff ff`)],
    ['endless options', Buffer.concat([fixture('00 00 00 03'), ...Array.from({ length: 65 }, () => encodeOption(99))])],
  ])('end the connection: %s', async (_, said) => {
    await serve();
    const raw = client();
    raw.say(said);
    await raw.closed;
  });

  it('have a time limit', async () => {
    const fake = new FakeClock();
    await serve({ clock: fake });
    const slow = client();
    await slow.hear(18);
    const quick = client();
    await quick.go('a');
    await fake.advance(10_000);
    await slow.closed;
    quick.ask({ command: command.FLUSH });
    expect(await errorIn(quick)).toBe(0);
  });
});

describe('requests', () => {
  it.each([
    ['a read beyond the end', { at: 8n * 1048576n, lengthBytes: 1 }, 22],
    ['a write beyond the end', { command: command.WRITE, at: 8n * 1048576n - 1n, lengthBytes: 2 }, 28],
    ['an offset of 2^64 - 1', { command: command.TRIM, at: 2n ** 64n - 1n, lengthBytes: 1 }, 28],
    ['a length of zero', { lengthBytes: 0 }, 22],
    ['a read above the limit', { lengthBytes: 33 * MiB }, 75],
    ['an unknown command', { command: 5, lengthBytes: 1 }, 22],
    ['an unknown flag', { flags: 4, lengthBytes: 1 }, 22],
    ['a fast zero', { command: command.WRITE_ZEROES, flags: 16, lengthBytes: 1 }, 22],
  ])('that are invalid are answered, and the next one is read: %s', async (_, request, error) => {
    await serve();
    const raw = client();
    await raw.go('a');
    raw.ask(request, Buffer.alloc('command' in request && request.command === command.WRITE ? request.lengthBytes : 0));
    expect(await errorIn(raw)).toBe(error);
    raw.ask({ command: command.FLUSH });
    expect(await errorIn(raw)).toBe(0);
    expect(device.calls).toEqual([{ call: 'flush' }]);
  });

  it.each([
    ['a wrong magic number', Buffer.alloc(28, 0x42)],
    ['a write above the limit', fixture('25609513 0000 0001 0000000000000000 0000000000000000 02000001')],
  ])('end the connection: %s', async (_, said) => {
    await serve();
    const raw = client();
    await raw.go('a');
    raw.say(said);
    await raw.closed;
    expect(device.calls).toEqual([]);
  });

  it('to zero or trim any length are split into pieces that the device accepts, with their options', async () => {
    device.sizeBytes = 2n ** 40n;
    await serve();
    const raw = client();
    await raw.go('a');
    raw.ask({ command: command.WRITE_ZEROES, flags: 1 | 2, at: 512n, lengthBytes: 65 * MiB });
    expect(await errorIn(raw)).toBe(0);
    const options = { unmap: false, fua: true };
    expect(device.calls).toEqual([
      { call: 'zero', at: 512n, lengthBytes: 32 * MiB, options },
      { call: 'zero', at: 512n + 32n * 1048576n, lengthBytes: 32 * MiB, options },
      { call: 'zero', at: 512n + 64n * 1048576n, lengthBytes: MiB, options },
    ]);
    device.calls.length = 0;
    raw.ask({ command: command.TRIM, flags: 1, at: 0n, lengthBytes: 4096 });
    expect(await errorIn(raw)).toBe(0);
    expect(device.calls).toEqual([{ call: 'trim', at: 0n, lengthBytes: 4096 }, { call: 'flush' }]);
  });

  it('sent before the disconnect are answered, and later ones are ignored', async () => {
    await serve();
    const raw = client();
    await raw.go('a');
    device.hold = true;
    raw.ask({ command: command.WRITE, lengthBytes: 4 }, Buffer.from('last'));
    raw.ask({ command: command.DISC });
    raw.ask({ command: command.WRITE, lengthBytes: 4 }, Buffer.from('over'));
    await atLeastHeld(1);
    device.held[0]?.();
    expect(await errorIn(raw)).toBe(0);
    await raw.closed;
    expect(device.calls).toHaveLength(1);
  });
});

describe('limits', () => {
  it('apply to the number of requests of an export, over all its connections', async () => {
    await serve({ limits: { requestsMax: 3 } });
    const both = [client(), client()];
    await Promise.all(both.map((raw) => raw.go('a')));
    device.hold = true;
    for (let i = 0; i < 5; i++) for (const raw of both) raw.ask({ lengthBytes: 512, cookieLow: i });
    await atLeastHeld(3);
    await settle();
    expect(device.held).toHaveLength(3);
    let released = 0;
    while (released < 10) {
      await atLeastHeld(released + 1);
      expect(device.held.length - released).toBeLessThanOrEqual(3);
      device.held[released]?.();
      released += 1;
    }
    for (const raw of both) await raw.hear(5 * (16 + 512));
  });

  it('apply to bytes: the data of a write is not read until there is room', async () => {
    await serve({ limits: { bytesMax: 2 * MiB } });
    const raw = client();
    await raw.go('a');
    device.hold = true;
    for (let i = 0; i < 16; i++) raw.ask({ command: command.WRITE, lengthBytes: MiB }, Buffer.alloc(MiB, i));
    await atLeastHeld(2);
    await settle();
    expect(device.held).toHaveLength(2);
    expect(raw.socket.writableLength).toBeGreaterThan(10 * MiB);
    for (let i = 0; i < 16; i++) {
      await atLeastHeld(i + 1);
      device.held[i]?.();
      expect(await errorIn(raw)).toBe(0);
    }
  });

  it('apply to a client that does not read its replies', async () => {
    await serve({ limits: { bytesMax: 4 * MiB } });
    const raw = client();
    await raw.go('a');
    raw.socket.pause();
    for (let i = 0; i < 32; i++) raw.ask({ lengthBytes: MiB });
    await settle();
    expect(device.calls.length).toBeLessThan(8);
    raw.socket.resume();
    await raw.hear(32 * (16 + MiB));
    expect(device.calls).toHaveLength(32);
  });

  it('admit one request that exceeds them alone', async () => {
    await serve({ limits: { bytesMax: 4096 } });
    const raw = client();
    await raw.go('a');
    raw.ask({ lengthBytes: MiB });
    raw.ask({ lengthBytes: MiB });
    await raw.hear(2 * (16 + MiB));
  });

  it('are released by a connection that is cut with requests in each state', async () => {
    const server = await serve({ limits: { requestsMax: 2, bytesMax: 2 * MiB } });
    device.hold = true;
    const first = client();
    await first.go('a');
    first.ask({ lengthBytes: 512 });
    await atLeastHeld(1);
    first.ask({ command: command.WRITE, lengthBytes: MiB }, Buffer.alloc(100));
    await settle();
    const second = client();
    await second.go('a');
    second.ask({ lengthBytes: 512 });
    await settle();
    expect(device.held).toHaveLength(1);
    first.socket.destroy();
    await atLeastHeld(2);
    device.hold = false;
    for (const release of device.held) release();
    await second.hear(16 + 512);
    await server.removeExport('a');
  });

  it('apply to connections, and the socket belongs to its owner only', async () => {
    await serve({ limits: { connectionsMax: 1 } });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const first = client();
    await first.go('a');
    const second = client();
    await second.closed;
    first.ask({ command: command.FLUSH });
    expect(await errorIn(first)).toBe(0);
  });
});

describe('a server', () => {
  it('does not use a path that is in use', async () => {
    await serve();
    await expect(serve()).rejects.toMatchObject({ code: 'LISTEN_FAILED' });
  });
});
