import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReplicaLink, StatusExtent, StatusLink } from '@lateen/block-engine';
import { type BlockTools, blockTools } from '@lateen/cluster';
import { systemClock as clock, silentLogger } from '@lateen/kernel';
import { connectReplica, connectStatus, nbdUri, serveBlocks } from '@lateen/nbd';
import { seededRandom } from '@lateen/testing';
import { execa } from 'execa';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mountFront } from '../block/mounted-front.ts';
import { exportHead, headExport, type ReplicaDaemon, startReplicaDaemon } from '../block/replica-daemon.ts';

const MiB = 1024 * 1024;
const sizeBytes = 64 * MiB;
const isRoot = process.getuid?.() === 0;

let tools: BlockTools;
let directory = '';
let stack: AsyncDisposableStack;
beforeAll(async () => {
  tools = await blockTools();
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'block-nbd-'));
  stack = new AsyncDisposableStack();
});
afterEach(async () => {
  await stack.disposeAsync();
  await rm(directory, { recursive: true });
});

const start = async (over: 'unix' | 'tcp'): Promise<ReplicaDaemon> =>
  stack.use(await startReplicaDaemon({ tools, directory, sizeBytes: BigInt(sizeBytes), over }));
const connectTo = async ({ at, exportName }: ReplicaDaemon): Promise<ReplicaLink> =>
  stack.use(await connectReplica({ at, exportName, clock }));
const statusOf = async ({ at, exportName }: ReplicaDaemon): Promise<StatusLink> =>
  stack.use(await connectStatus({ at, exportName, clock, contexts: ['base:allocation', 'qemu:allocation-depth'] }));

/** Writes data and zeros of any alignment, in parallel, to areas that do not overlap; the model has the expected content. */
async function writeAnywhere(link: ReplicaLink, model: Buffer, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const areas = 64;
  const room = Math.floor(model.length / areas);
  const below = (n: number) => Math.floor(random.next() * n);
  for (let round = 0; round < 8; round++) {
    const requests = Array.from({ length: areas }, (_, area) => {
      const at = area * room + below(room - 1);
      const length = 1 + below(Math.min((area + 1) * room - at, round % 2 === 0 ? 9_000 : room) - 1);
      const fua = below(8) === 0;
      if (below(4) === 0) {
        model.fill(0, at, at + length);
        return link.zero(BigInt(at), length, { unmap: below(2) === 0, fua });
      }
      const data = Buffer.alloc(length, 1 + below(255));
      data.copy(model, at);
      return link.write(BigInt(at), [data.subarray(0, length >> 1), data.subarray(length >> 1)], { fua });
    });
    await Promise.all(requests);
  }
  await link.flush();
}

async function readAll(link: ReplicaLink, lengthBytes: number): Promise<Buffer> {
  const reads = Array.from({ length: 16 }, (_, i) => link.read(BigInt((i * lengthBytes) / 16), lengthBytes / 16));
  return Buffer.concat((await Promise.all(reads)).flat());
}

describe.each(['unix', 'tcp'] as const)('a link to qemu-storage-daemon over %s', (over) => {
  it('reads what was written at any alignment with many parallel requests, with and without structured replies', async () => {
    const replica = await start(over);
    const link = await connectTo(replica);
    expect(link.sizeBytes).toBe(BigInt(sizeBytes));
    const model = Buffer.alloc(sizeBytes);
    await writeAnywhere(link, model, over === 'unix' ? 1 : 2);
    expect((await readAll(link, sizeBytes)).equals(model)).toBe(true);
    expect((await readAll(await statusOf(replica), sizeBytes)).equals(model)).toBe(true);
  });
});

describe('a link to qemu-storage-daemon', () => {
  it('distinguishes data, holes and explicit zeros by the depth of their layer', async () => {
    const link = await statusOf(await start('unix'));
    await link.write(BigInt(MiB), [Buffer.alloc(4096, 1)]);
    await link.zero(BigInt(2 * MiB), 8192, { unmap: true });
    const depths = areas(await link.status('qemu:allocation-depth', 0n, sizeBytes));
    expect(depths).toEqual([
      [MiB, MiB + 4096],
      [2 * MiB, 2 * MiB + 8192],
    ]);
    const [first] = await link.status('base:allocation', BigInt(MiB), 4096);
    expect(first?.value).toBe(0);
  });

  it('returns errors of requests as errno, and continues', async () => {
    const replica = await start('unix');
    await replica.daemon.blockExportDel({ id: headExport, mode: 'hard' });
    await replica.daemon.blockExportAdd({
      type: 'nbd',
      id: headExport,
      nodeName: 'head',
      name: replica.exportName,
      writable: false,
    });
    const link = await connectTo(replica);
    await expect(link.write(0n, [Buffer.alloc(1)])).rejects.toMatchObject({ details: { errno: 'EPERM' } });
    expect(Buffer.concat(await link.read(0n, 5))).toEqual(Buffer.alloc(5));
  });

  it('ends with the export, and a new generation is rejected under the old name', async () => {
    const replica = await start('unix');
    const link = await connectTo(replica);
    await link.write(0n, [Buffer.alloc(4096, 1)]);
    await replica.daemon.blockExportDel({ id: headExport, mode: 'hard' });
    await exportHead(replica.daemon, 'replica-0.2.fedcba9876543210');
    expect(await link.closed).toMatchObject({ code: 'LINK_LOST' });
    await expect(link.read(0n, 1)).rejects.toMatchObject({ code: 'LINK_LOST' });
    const refused = await connectTo(replica).catch((error) => error);
    expect(refused).toMatchObject({ code: 'LINK_REFUSED' });
    expect(`${refused.message} ${refused.cause?.message}`).not.toContain(replica.exportName);
  });

  it('ends when the daemon is killed during writes, each of which is answered or lost', async () => {
    const replica = await start('unix');
    const link = await connectTo(replica);
    const writes = Array.from({ length: 64 }, (_, i) => link.write(BigInt(i * MiB), [Buffer.alloc(MiB, i + 1)]));
    await writes[0];
    process.kill(Number(await readFile(join(directory, 'pid'), 'utf8')), 'SIGKILL');
    const outcomes = await Promise.allSettled(writes);
    expect(await link.closed).toMatchObject({ code: 'LINK_LOST' });
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'LINK_LOST' });
    }
    expect(link.oldestPendingMs).toBeUndefined();
  });
});

describe('our server', () => {
  it('works with nbdinfo and nbdcopy, in both directions', async () => {
    const link = await connectTo(await start('unix'));
    const model = Buffer.alloc(sizeBytes);
    await writeAnywhere(link, model, 3);
    const exports = new Map([['volume', link]]);
    await using server = await serveBlocks({ path: join(directory, 'front') }, exports, { clock, log: silentLogger });
    const uri = nbdUri(server.endpoint, 'volume');
    const told = JSON.parse((await execa(tools.nbdinfo, ['--json', uri])).stdout).exports[0];
    expect(told).toMatchObject({
      'export-size': sizeBytes,
      can_flush: true,
      can_fua: true,
      can_trim: true,
      can_zero: true,
      can_multi_conn: true,
      is_read_only: false,
    });
    const copy = join(directory, 'copy');
    await execa(tools.nbdcopy, [uri, copy]);
    expect((await readFile(copy)).equals(model)).toBe(true);
    await link.zero(0n, 32 * MiB);
    await execa(tools.nbdcopy, ['--flush', copy, uri]);
    expect((await readAll(link, sizeBytes)).equals(model)).toBe(true);
  });

  it.skipIf(!isRoot)('serves nbdfuse what fio has written at depth 32', async () => {
    const link = await connectTo(await start('unix'));
    const exports = new Map([['volume', link]]);
    await using server = await serveBlocks({ path: join(directory, 'front') }, exports, { clock, log: silentLogger });
    const mountpoint = join(directory, 'mounted');
    await mkdir(mountpoint);
    await using front = await mountFront(tools, mountpoint, nbdUri(server.endpoint, 'volume'));
    for (const [bs, iodepth] of [
      ['4k', 32],
      ['1M', 8],
    ] as const) {
      const job = ['--name=x', `--filename=${front.path}`, '--rw=randwrite', `--bs=${bs}`, `--iodepth=${iodepth}`];
      const verified = ['--ioengine=libaio', '--direct=1', '--verify=crc32c', '--do_verify=1', '--verify_fatal=1'];
      await execa(tools.fio, [...job, ...verified, `--size=${sizeBytes}`, '--verify_state_save=0'], { cwd: directory });
    }
    const file = await readFile(front.path);
    expect((await readAll(link, sizeBytes)).equals(file)).toBe(true);
    expect(file.some((byte) => byte !== 0)).toBe(true);
  });
});

/** Places whose value is not 0, counted from the beginning. */
function areas(extents: readonly StatusExtent[]): [number, number][] {
  const found: [number, number][] = [];
  let at = 0;
  for (const { lengthBytes, value } of extents) {
    if (value !== 0) found.push([at, at + lengthBytes]);
    at += lengthBytes;
  }
  return found;
}
