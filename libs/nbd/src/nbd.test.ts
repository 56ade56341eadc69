import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BlockServer,
  type BlockTarget,
  blockIoError,
  type ReplicaLink,
  type UnixOrTcp,
} from '@lateen/block-engine';
import { silentLogger, systemClock } from '@lateen/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectReplica } from './client/connect-replica.ts';
import { type ServeOptions, serveBlocks } from './server/serve-blocks.ts';
import { MemoryDevice } from './test-peers/memory-device.ts';

const clock = systemClock;
const KiB = 1024;

let directory = '';
let stack: AsyncDisposableStack;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nbd-'));
  stack = new AsyncDisposableStack();
});
afterEach(async () => {
  await stack.disposeAsync();
  await rm(directory, { recursive: true });
});

const unix = (): UnixOrTcp => ({ path: join(directory, 's') });

async function serve(
  exports: Record<string, BlockTarget>,
  o: Partial<ServeOptions> & { at?: UnixOrTcp } = {},
): Promise<BlockServer> {
  const options = { clock, log: silentLogger, ...o };
  return stack.use(await serveBlocks(o.at ?? unix(), new Map(Object.entries(exports)), options));
}

async function link(server: BlockServer, exportName = 'a'): Promise<ReplicaLink> {
  return stack.use(await connectReplica({ at: server.endpoint, exportName, clock }));
}

/** Bytes that differ from their neighbours, also from those of other blocks. */
function pattern(lengthBytes: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(lengthBytes);
  for (let i = 0; i < lengthBytes; i++) bytes[i] = (i * 31 + (i >> 8) * 7 + seed) & 0xff;
  return bytes;
}

describe.each([
  { way: 'a unix socket', at: unix },
  { way: 'TCP', at: (): UnixOrTcp => ({ host: '127.0.0.1', port: 0 }) },
])('over $way', ({ at }) => {
  it('reads what was written, of any size and at any position', async () => {
    const device = new MemoryDevice(8 * KiB * KiB);
    const replica = await link(await serve({ a: device }, { at: at() }));
    expect(replica.sizeBytes).toBe(8n * 1024n * 1024n);
    for (const [place, lengthBytes] of [
      [0, 1],
      [1, 4095],
      [4096, 4096],
      [777_777, 70_001],
      [1_048_576, 5 * 1_048_576 + 3],
    ] as const) {
      const bytes = pattern(lengthBytes, place);
      await replica.write(BigInt(place), [bytes.subarray(0, lengthBytes >> 2), bytes.subarray(lengthBytes >> 2)]);
      expect(Buffer.concat(await replica.read(BigInt(place), lengthBytes)).equals(bytes)).toBe(true);
      expect(device.bytes.subarray(place, place + lengthBytes).equals(bytes)).toBe(true);
    }
  });

  it('passes options and errors of the device', async () => {
    const device = new MemoryDevice(64 * KiB);
    const replica = await link(await serve({ a: device }, { at: at() }));
    await replica.write(65_535n, [Buffer.of(1)], { fua: true });
    await replica.zero(0n, 4096);
    await replica.zero(4096n, 100, { unmap: true, fua: true });
    await replica.trim(0n, 65_536);
    await replica.flush();
    expect(device.calls).toEqual([
      { call: 'write', at: 65_535n, lengthBytes: 1, options: { fua: true } },
      { call: 'zero', at: 0n, lengthBytes: 4096, options: { unmap: false, fua: false } },
      { call: 'zero', at: 4096n, lengthBytes: 100, options: { unmap: true, fua: true } },
      { call: 'trim', at: 0n, lengthBytes: 65_536 },
      { call: 'flush' },
    ]);
  });
});

describe('parallel requests', () => {
  it('are answered in any order, each with its own data', async () => {
    const device = new MemoryDevice(1024 * KiB);
    pattern(1024 * KiB).copy(device.bytes);
    const replica = await link(await serve({ a: device }));
    device.hold = true;
    const reads = Array.from({ length: 100 }, (_, i) => replica.read(BigInt(i * 4096), 4096));
    while (device.held.length < 100) await clock.sleep(1);
    for (const i of Array.from({ length: 100 }, (_, i) => (i * 37) % 100)) device.held[i]?.();
    for (const [i, read] of reads.entries()) {
      expect(Buffer.concat(await read).equals(device.bytes.subarray(i * 4096, i * 4096 + 4096))).toBe(true);
    }
  });

  it('report how long the oldest one has waited', async () => {
    const device = new MemoryDevice(64 * KiB);
    const replica = await link(await serve({ a: device }));
    expect(replica.oldestPendingMs).toBeUndefined();
    device.hold = true;
    const flush = replica.flush();
    expect(replica.oldestPendingMs).toBeGreaterThanOrEqual(0);
    while (device.held.length < 1) await clock.sleep(1);
    device.held[0]?.();
    await flush;
    expect(replica.oldestPendingMs).toBeUndefined();
  });
});

describe('errors', () => {
  it('of the device are returned as errno, and the link continues', async () => {
    const device = new MemoryDevice(64 * KiB);
    const replica = await link(await serve({ a: device }));
    for (const [failure, errno] of [
      [blockIoError('ENOSPC', 'full'), 'ENOSPC'],
      [new Error('whatever'), 'EIO'],
      [blockIoError('EPERM', 'no'), 'EPERM'],
    ] as const) {
      device.failure = failure;
      await expect(replica.write(0n, [Buffer.alloc(512)])).rejects.toMatchObject({
        code: 'REPLICA_IO',
        details: { errno },
      });
    }
    await replica.write(0n, [Buffer.alloc(512)]);
  });

  it('end the link when the server announces its shutdown', async () => {
    const device = new MemoryDevice(64 * KiB);
    const replica = await link(await serve({ a: device }));
    device.failure = blockIoError('ESHUTDOWN', 'bye');
    await expect(replica.flush()).rejects.toMatchObject({ code: 'LINK_LOST' });
    expect(await replica.closed).toMatchObject({ code: 'LINK_LOST' });
  });

  it('of the caller are reported without a request', async () => {
    const device = new MemoryDevice(64 * KiB);
    const replica = await link(await serve({ a: device }));
    const wrong = [
      replica.read(65_536n, 1),
      replica.read(-1n, 1),
      replica.read(0n, 0),
      replica.read(0n, 1.5),
      replica.read(0n, 33 * KiB * KiB),
      replica.write(65_000n, [Buffer.alloc(537)]),
      replica.trim(1n << 63n, 1),
    ];
    for (const one of wrong) await expect(one).rejects.toMatchObject({ code: 'BLOCK_RANGE' });
    expect(device.calls).toEqual([]);
  });

  it('of a device that returns a wrong length are EIO', async () => {
    const device = new MemoryDevice(64 * KiB);
    device.read = async () => [Buffer.alloc(7)];
    const replica = await link(await serve({ a: device }));
    await expect(replica.read(0n, 8)).rejects.toMatchObject({ code: 'REPLICA_IO', details: { errno: 'EIO' } });
    await replica.flush();
  });
});

describe('the end of a link', () => {
  it('rejects pending and later requests, and reports the reason once', async () => {
    const device = new MemoryDevice(64 * KiB);
    const server = await serve({ a: device });
    const replica = await link(server);
    device.hold = true;
    const lost = replica.write(0n, [Buffer.alloc(4096)]);
    while (device.held.length < 1) await clock.sleep(1);
    const removed = server.removeExport('a');
    await expect(lost).rejects.toMatchObject({ code: 'LINK_LOST' });
    expect(await replica.closed).toMatchObject({ code: 'LINK_LOST' });
    await expect(replica.flush()).rejects.toBe(await replica.closed);
    expect(replica.oldestPendingMs).toBeUndefined();
    device.held[0]?.();
    await removed;
  });

  it('by its owner leaves nothing on the server', async () => {
    const device = new MemoryDevice(64 * KiB);
    const server = await serve({ a: device });
    const replica = await link(server);
    await replica[Symbol.asyncDispose]();
    await replica[Symbol.asyncDispose]();
    expect(await replica.closed).toMatchObject({ code: 'LINK_LOST' });
    await server.removeExport('a');
  });
});

describe('a unix socket', () => {
  it('is accessible only to its owner from the moment it exists', async () => {
    const at = { path: join(directory, 's') };
    const before = process.umask(0);
    try {
      const serving = serve({}, { at });
      const modes = [statSync(at.path).mode & 0o077, process.umask()];
      await serving;
      expect([...modes, statSync(at.path).mode & 0o777]).toEqual([0, 0, 0o600]);
    } finally {
      process.umask(before);
    }
  });
});

describe('the end of a server', () => {
  it('waits for the last request of its targets, so holders must release them first', async () => {
    const device = new MemoryDevice(64 * KiB);
    const server = await serve({ a: device });
    const replica = await link(server);
    device.hold = true;
    const write = replica.write(0n, [Buffer.alloc(512)]).catch(() => 'lost');
    while (device.held.length < 1) await clock.sleep(1);
    let hasEnded = false;
    const ended = server[Symbol.asyncDispose]().then(() => {
      hasEnded = true;
    });
    expect(await write).toBe('lost');
    await clock.sleep(20);
    expect(hasEnded).toBe(false);
    device.failure = blockIoError('EIO', 'the engine is over');
    device.held[0]?.();
    await ended;
  });
});

describe('exports', () => {
  it('that do not exist are rejected, and can be added and removed while the server runs', async () => {
    const server = await serve({ a: new MemoryDevice(4096) });
    await expect(link(server, 'b')).rejects.toMatchObject({ code: 'LINK_REFUSED' });
    server.addExport('b', new MemoryDevice(8192));
    expect((await link(server, 'b')).sizeBytes).toBe(8192n);
    expect(() => server.addExport('b', new MemoryDevice(1))).toThrow(/already/);
    await server.removeExport('b');
    await server.removeExport('b');
    await expect(link(server, 'b')).rejects.toMatchObject({ code: 'LINK_REFUSED' });
    await (await link(server)).flush();
  });

  it('are removed only when none of their requests is running', async () => {
    const device = new MemoryDevice(64 * KiB);
    const server = await serve({ a: device });
    const replica = await link(server);
    device.hold = true;
    const write = replica.write(0n, [Buffer.from('late')]).catch(() => 'lost');
    while (device.held.length < 1) await clock.sleep(1);
    let isRemoved = false;
    const removed = server.removeExport('a').then(() => {
      isRemoved = true;
    });
    expect(await write).toBe('lost');
    await clock.sleep(20);
    expect(isRemoved).toBe(false);
    device.held[0]?.();
    await removed;
    expect(device.bytes.toString('utf8', 0, 4)).toBe('late');
  });

  it('that grow keep their size on old connections and have the new one on new connections', async () => {
    const device = new MemoryDevice(8192);
    device.sizeBytes = 4096n;
    const server = await serve({ a: device });
    const old = await link(server);
    device.sizeBytes = 8192n;
    const young = await link(server);
    expect([old.sizeBytes, young.sizeBytes]).toEqual([4096n, 8192n]);
    await young.write(4096n, [Buffer.alloc(4096, 7)]);
    await expect(old.read(4096n, 1)).rejects.toMatchObject({ code: 'BLOCK_RANGE' });
  });
});

describe('connecting', () => {
  it('fails with LINK_LOST when nothing listens, and with the reason of an abort', async () => {
    await expect(connectReplica({ at: unix(), exportName: 'a', clock })).rejects.toMatchObject({ code: 'LINK_LOST' });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(connectReplica({ at: unix(), exportName: 'a', clock, signal })).rejects.toThrow('enough');
  });

  it('does not print the export name, which can be a secret', async () => {
    const server = await serve({ a: new MemoryDevice(4096) });
    const error = await link(server, 'token-1234').catch((e) => e);
    expect(JSON.stringify([error.message, error.cause?.message, error.details])).not.toContain('1234');
  });
});
