import { csi } from '@lateen/csi';
import { createVolumeRequest, type DriverProcess, makeScratch, startDriver } from '@lateen/csi-rig';
import { seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import {
  contentOf,
  fragment,
  patched,
  publishedAgain,
  rawVolume,
  release,
  scribble,
  takeSnapshot,
  volumeBytes,
} from '../snapshot-metadata/raw-volume.ts';

const diskBytes = 1024 * 1024 * 1024;
const isRoot = process.getuid?.() === 0;
const o = { signal: new AbortController().signal };

async function tuplesOf(stream: AsyncIterable<csi.GetMetadataDeltaResponse>): Promise<csi.BlockMetadata[]> {
  const tuples: csi.BlockMetadata[] = [];
  for await (const message of stream) {
    expect(message.blockMetadataType).toBe(csi.BlockMetadataType.VARIABLE_LENGTH);
    expect(message.volumeCapacityBytes).toBe(BigInt(volumeBytes));
    tuples.push(...message.blockMetadata);
  }
  for (const [index, { byteOffset, sizeBytes }] of tuples.entries()) {
    const before = tuples[index - 1];
    expect(sizeBytes > 0n && byteOffset + sizeBytes <= BigInt(volumeBytes)).toBe(true);
    expect(before === undefined || before.byteOffset + before.sizeBytes <= byteOffset).toBe(true);
  }
  return tuples;
}

const sum = (tuples: readonly csi.BlockMetadata[]) => tuples.reduce((all, { sizeBytes }) => all + Number(sizeBytes), 0);

describe.skipIf(!isRoot)('SnapshotMetadata of local volumes', () => {
  const allocated = (driver: DriverProcess, snapshotId: string, startingOffset = 0n, maxResults = 0) =>
    driver.snapshotMetadata.getMetadataAllocated({ snapshotId, startingOffset, maxResults, secrets: {} }, o);
  const delta = (driver: DriverProcess, baseSnapshotId: string, targetSnapshotId: string, startingOffset = 0n) =>
    driver.snapshotMetadata.getMetadataDelta(
      { baseSnapshotId, targetSnapshotId, startingOffset, maxResults: 3, secrets: {} },
      o,
    );

  it('is declared by the driver', async () => {
    await using scratch = await makeScratch('xfs', diskBytes);
    await using driver = await startDriver(scratch, { nodeId: 'node-1' });
    const { capabilities } = await driver.identity.getPluginCapabilities({}, o);
    const type = csi.PluginCapability_Service_Type.SNAPSHOT_METADATA_SERVICE;
    expect(capabilities).toContainEqual(expect.objectContaining({ service: { type } }));
  });

  it.each([
    { disk: 'xfs', shares: true },
    { disk: 'ext4', shares: false },
  ] as const)(
    'lists everything that differs on $disk: applying the changes to the base gives the target',
    async ({ disk, shares }) => {
      const random = seededRandom(7);
      await using scratch = await makeScratch(disk, diskBytes);
      await using driver = await startDriver(scratch, { nodeId: 'node-1' });
      const volume = await rawVolume(scratch, driver, 'data');
      const snapshots: string[] = [];
      for (let round = 0; round < 5; round++) {
        await scribble(volume, random, round === 0 ? 40 : 6);
        if (!shares) await release(scratch, driver, volume);
        snapshots.push(await takeSnapshot(driver, volume, `s${round}`));
        if (!shares) Object.assign(volume, await publishedAgain(scratch, driver, volume));
      }
      for (const target of snapshots) {
        const content = await contentOf(scratch, target);
        const all = await tuplesOf(allocated(driver, target));
        expect(patched(Buffer.alloc(volumeBytes), content, all).equals(content)).toBe(true);
        for (const base of snapshots) {
          const changed = await tuplesOf(delta(driver, base, target));
          expect(patched(await contentOf(scratch, base), content, changed).equals(content)).toBe(true);
          if (base === target) expect(changed).toEqual([]);
          if (shares) expect(sum(changed)).toBeLessThan(volumeBytes / 2);
          const { byteOffset, sizeBytes } = changed[Math.floor(changed.length / 2)] ?? {
            byteOffset: 0n,
            sizeBytes: 0n,
          };
          const rest = await tuplesOf(delta(driver, base, target, byteOffset + sizeBytes));
          expect(rest).toEqual(changed.filter((tuple) => tuple.byteOffset > byteOffset));
        }
      }
      await release(scratch, driver, volume);
    },
  );

  it('rejects snapshots that do not exist, of other volumes and of other nodes, and an offset beyond the end', async () => {
    await using scratch = await makeScratch('xfs', diskBytes);
    await using driver = await startDriver(scratch, { nodeId: 'node-1' });
    const made = async (name: string) => {
      const { volume } = await driver.controller.createVolume(createVolumeRequest(name, volumeBytes), o);
      return takeSnapshot(driver, { id: volume?.volumeId ?? '', device: '' }, `snapshot-of-${name}`);
    };
    const [one, other] = [await made('one'), await made('other')];
    const elsewhere = one.replace(/^(snap-)[0-9a-f]{8}/, '$100000000');
    const codes = [
      allocated(driver, ''),
      allocated(
        driver,
        one.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      ),
      allocated(driver, 'what'),
      allocated(driver, elsewhere),
      allocated(driver, one, BigInt(volumeBytes) + 1n),
      allocated(driver, one, -1n),
      allocated(driver, one, 0n, -1),
      delta(driver, one, other),
      delta(driver, 'what', one),
      delta(driver, one, one),
    ].map((stream) =>
      Array.fromAsync<unknown>(stream).then(
        () => 'OK',
        (error: { code: string }) => error.code,
      ),
    );
    expect(await Promise.all(codes)).toEqual([
      ...['INVALID_ARGUMENT', 'NOT_FOUND', 'NOT_FOUND', 'FAILED_PRECONDITION', 'OUT_OF_RANGE', 'OUT_OF_RANGE'],
      ...['INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'NOT_FOUND', 'OK'],
    ]);
    expect(await driver.stop()).toBe(0);
  });

  it('keeps a snapshot until its blocks are listed', async () => {
    await using scratch = await makeScratch('xfs', diskBytes);
    await using driver = await startDriver(scratch, { nodeId: 'node-1' });
    const volume = await rawVolume(scratch, driver, 'data', 8 * volumeBytes);
    await fragment(volume, 8 * volumeBytes);
    const snapshotId = await takeSnapshot(driver, volume, 's');
    const stream = allocated(driver, snapshotId, 0n, 1)[Symbol.asyncIterator]();
    expect((await stream.next()).value?.blockMetadata).toHaveLength(1);
    const deleted = () => driver.controller.deleteSnapshot({ snapshotId, secrets: {} }, o);
    await expect(deleted()).rejects.toMatchObject({ code: 'ABORTED' });
    await stream.return?.();
    await deleted();
    await release(scratch, driver, volume);
  });
});
