import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Extent } from '@lateen/block-engine';
import { csi } from '@lateen/csi';
import { connectUnix, makeService, type ServiceClient, serveUnix, type UnixServer } from '@lateen/grpc';
import { silentLogger, systemClock } from '@lateen/kernel';
import { volumeError } from '@lateen/volume';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SnapshotBlocks, snapshotMetadataHandlers, tuplesMax } from './snapshot-metadata-service.ts';

const sizeBytes = 1n << 30n;
const granule = 4096n;
const never = { signal: new AbortController().signal };

interface Model {
  readonly id: string;
  readonly volume: string;
  readonly sizeBytes: bigint;
}

/** Two snapshots of a volume and one of another; `extents` are those of each call. */
class ModelBlocks implements SnapshotBlocks<Model> {
  extentsNow: readonly Extent[] = [];
  asked: { id: string; since: string | undefined; startBytes: bigint }[] = [];
  /** Number of extents that were returned, and whether the reader was closed. */
  told = 0;
  readonly ended = Promise.withResolvers<void>();
  waits = false;

  async find(id: string): Promise<Model> {
    if (!['s1', 's2', 'other'].includes(id)) throw volumeError('NOT_FOUND', `there is no snapshot ${id}`);
    return { id, volume: id === 'other' ? 'v2' : 'v1', sizeBytes };
  }

  async *extents(
    { id }: Model,
    { since, startBytes, signal }: { since?: Model; startBytes: bigint; signal: AbortSignal },
  ) {
    this.asked.push({ id, since: since?.id, startBytes });
    try {
      for (const extent of this.extentsNow) {
        if (extent.startBytes + extent.lengthBytes <= startBytes) continue;
        this.told++;
        yield extent;
      }
      if (this.waits) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    } finally {
      this.ended.resolve();
    }
  }
}

let directory = '';
let server: UnixServer;
let client: ServiceClient<csi.SnapshotMetadataServer> & Disposable;
let blocks: ModelBlocks;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-metadata-'));
  const endpoint = `unix://${join(directory, 'csi.sock')}`;
  blocks = new ModelBlocks();
  const options = { log: silentLogger, clock: systemClock, stopping: never.signal };
  const service = makeService(csi.SnapshotMetadataService, snapshotMetadataHandlers(blocks), options);
  server = await serveUnix(endpoint, [service], systemClock);
  client = connectUnix<csi.SnapshotMetadataServer>(endpoint, csi.SnapshotMetadataClient);
});
afterEach(async () => {
  client[Symbol.dispose]();
  await server.stop(0);
  await rm(directory, { recursive: true, force: true });
});

const allocated = (more: Partial<csi.GetMetadataAllocatedRequest> = {}, o = never) =>
  client.getMetadataAllocated({ snapshotId: 's1', startingOffset: 0n, maxResults: 0, secrets: {}, ...more }, o);
const delta = (more: Partial<csi.GetMetadataDeltaRequest> = {}) =>
  client.getMetadataDelta(
    { baseSnapshotId: 's1', targetSnapshotId: 's2', startingOffset: 0n, maxResults: 0, secrets: {}, ...more },
    never,
  );
const codeOf = async (stream: AsyncIterable<unknown>): Promise<string> => {
  try {
    await Array.fromAsync(stream);
    return 'none';
  } catch (error) {
    return (error as { code: string }).code;
  }
};
const granules = (count: number): Extent[] =>
  Array.from({ length: count }, (_, index) => ({ startBytes: BigInt(index * 2) * granule, lengthBytes: granule }));
const tuples = (messages: readonly csi.GetMetadataAllocatedResponse[]) =>
  messages.flatMap(({ blockMetadata }) => blockMetadata);

describe('SnapshotMetadata', () => {
  it('returns blocks of variable length, with the size of the volume in each message', async () => {
    blocks.extentsNow = granules(5);
    const messages = await Array.fromAsync(allocated({ maxResults: 2 }));
    expect(messages.map(({ blockMetadata }) => blockMetadata.length)).toEqual([2, 2, 1]);
    for (const message of messages)
      expect(message).toMatchObject({
        blockMetadataType: csi.BlockMetadataType.VARIABLE_LENGTH,
        volumeCapacityBytes: sizeBytes,
      });
    expect(tuples(messages)).toEqual(
      granules(5).map(({ startBytes, lengthBytes }) => ({ byteOffset: startBytes, sizeBytes: lengthBytes })),
    );
  });

  it.each([0, tuplesMax + 1, 2 ** 31 - 1])('keeps messages small when asked for %i results', async (maxResults) => {
    blocks.extentsNow = granules(tuplesMax + 1);
    const messages = await Array.fromAsync(allocated({ maxResults }));
    expect(messages.map(({ blockMetadata }) => blockMetadata.length)).toEqual([tuplesMax, 1]);
  });

  it('answers with the size of the volume also when there are no blocks', async () => {
    const answer = {
      blockMetadataType: csi.BlockMetadataType.VARIABLE_LENGTH,
      volumeCapacityBytes: sizeBytes,
      blockMetadata: [],
    };
    expect(await Array.fromAsync(allocated())).toEqual([answer]);
    expect(await Array.fromAsync(delta({ startingOffset: sizeBytes }))).toEqual([answer]);
    expect(blocks.asked.at(-1)).toEqual({ id: 's2', since: 's1', startBytes: sizeBytes });
  });

  it('continues exactly after any offset', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ gap: fc.integer({ min: 1, max: 5 }), length: fc.integer({ min: 1, max: 5 }) }), {
          minLength: 1,
          maxLength: 20,
        }),
        fc.nat(),
        fc.integer({ min: 0, max: 7 }),
        async (runs, place, maxResults) => {
          let at = 0n;
          blocks.extentsNow = runs.map(({ gap, length }) => {
            const startBytes = at + BigInt(gap) * granule;
            at = startBytes + BigInt(length) * granule;
            return { startBytes, lengthBytes: BigInt(length) * granule };
          });
          const startingOffset = BigInt(place) % at;
          const all = tuples(await Array.fromAsync(allocated()));
          const rest = tuples(await Array.fromAsync(allocated({ startingOffset, maxResults })));
          const wanted = all.flatMap(({ byteOffset, sizeBytes: length }) => {
            const [start, end] = [byteOffset > startingOffset ? byteOffset : startingOffset, byteOffset + length];
            return end > start ? [{ byteOffset: start, sizeBytes: end - start }] : [];
          });
          expect(rest).toEqual(wanted);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('rejects invalid requests', async () => {
    expect(await codeOf(allocated({ snapshotId: '' }))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(allocated({ maxResults: -1 }))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(allocated({ snapshotId: 'nobody' }))).toBe('NOT_FOUND');
    expect(await codeOf(allocated({ startingOffset: -1n }))).toBe('OUT_OF_RANGE');
    expect(await codeOf(allocated({ startingOffset: sizeBytes + 1n }))).toBe('OUT_OF_RANGE');
    expect(await codeOf(delta({ baseSnapshotId: '' }))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(delta({ targetSnapshotId: '' }))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(delta({ baseSnapshotId: 'nobody' }))).toBe('NOT_FOUND');
    expect(await codeOf(delta({ baseSnapshotId: 'other' }))).toBe('INVALID_ARGUMENT');
    expect(blocks.asked).toEqual([]);
  });

  it('closes the reader when the caller leaves, and reads only as fast as the caller does', async () => {
    blocks.extentsNow = granules(100_000);
    blocks.waits = true;
    const caller = new AbortController();
    const messages = allocated({ maxResults: 1 }, { signal: caller.signal })[Symbol.asyncIterator]();
    expect((await messages.next()).value?.blockMetadata).toHaveLength(1);
    const reason = new Error('enough');
    caller.abort(reason);
    await expect(messages.next()).rejects.toBe(reason);
    await blocks.ended.promise;
    expect(blocks.told).toBeLessThan(100_000);
  });
});
