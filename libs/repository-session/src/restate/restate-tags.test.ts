import { FakeClock, letTimePass, seededRandom } from '@lateen/testing';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryRepository } from '../memory-repository.ts';
import { restateTags } from './restate-tags.ts';

const { signal } = new AbortController();
const source = {
  path: 'p/kopia/shop/data',
  tags: { 'snapshot-uploader': 'kopia', 'velero.io/async-operation-id': 'op' },
};
const where = { type: 'snapshot', hostname: 'default', username: 'default', path: source.path };

let clock: FakeClock;
let repository: MemoryRepository;
beforeEach(() => {
  clock = new FakeClock('2030-01-01T00:00:00Z');
  repository = new MemoryRepository(seededRandom(1));
});

/** A snapshot with the tags set on the command line. */
async function stored(tags: Record<string, string>, more: object = {}): Promise<string> {
  const session = await repository.open();
  const json = JSON.stringify({ id: '', tags, stats: { totalSize: 9 }, ...more });
  const id = await session.putManifest({ json, labels: { ...where, ...tags } }, { signal });
  await session.flush({ signal });
  return id;
}

const restate = (snapshotID: string) =>
  letTimePass(
    restateTags({ open: repository.open, clock, random: seededRandom(7) }, { snapshotID, source, signal }),
    clock,
  );

const ofCli = {
  'tag:snapshot-uploader': 'kopia',
  'tag:velero.io/async-operation-id': 'op',
  'tag:lateen-attributes': 'k',
};
const ofReference = {
  'snapshot-uploader': 'kopia',
  'velero.io/async-operation-id': 'op',
  'tag:lateen-attributes': 'k',
};

describe('the tags of a snapshot', () => {
  it("get the names that Velero looks for, and Lateen's tags stay", async () => {
    const old = await stored(ofCli, { pins: ['velero-pin'] });
    const id = await restate(old);
    expect([...repository.manifests.keys()]).toEqual([id]);
    const { json, labels } = repository.manifests.get(id) ?? { json: '{}', labels: {} };
    expect(labels).toEqual({ ...where, ...ofReference });
    expect(JSON.parse(json)).toEqual({ id: old, tags: ofReference, pins: ['velero-pin'], stats: { totalSize: 9 } });
  });

  it('stay unchanged where Velero has written them', async () => {
    const old = await stored(ofReference);
    expect(await restate(old)).toBe(old);
  });

  it('are undefined for a missing snapshot', async () => {
    await stored(ofCli);
    await expect(restate('9'.repeat(32))).rejects.toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' });
  });

  it('are changed once, with sessions that are lost at any request', async () => {
    const lost = fc.record({ seed: fc.nat(), lossRate: fc.constantFrom(0.1, 0.3) });
    const check = fc.asyncProperty(lost, async ({ seed, lossRate }) => {
      repository = new MemoryRepository(seededRandom(seed));
      const other = await stored(ofCli, { startTime: 'another' });
      const old = await stored(ofCli);
      repository.lossRate = lossRate;
      const id = await restate(old).catch(() => undefined);
      const left = [...repository.manifests.keys()].filter((each) => each !== other);
      expect(left).toHaveLength(1);
      if (id !== undefined) expect(left).toEqual([id]);
      expect(repository.manifests.get(other)?.json).toContain('another');
    });
    await fc.assert(check, { numRuns: 200 });
  });
});
