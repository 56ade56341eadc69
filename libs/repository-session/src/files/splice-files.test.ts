import type { FilesToSplice, SplicedFile, SplicedFiles } from '@lateen/repository';
import { FakeClock, letTimePass, seededRandom } from '@lateen/testing';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryRepository } from '../memory-repository.ts';
import { sourceLabels } from '../stored/snapshot-texts.ts';
import { timeTextNs } from './checkpoint-texts.ts';
import { largeFile, ModelEngine, type ModelVolume, modelSource } from './model-engine.ts';
import { spliceFiles } from './splice-files.ts';

const { signal } = new AbortController();
const chunkBytes = 16;

let repository: MemoryRepository;
let engine: ModelEngine;
let volume: ModelVolume;

const dataOf = (bytes: number, factor = 1): Buffer =>
  Buffer.from(Array.from({ length: bytes }, (_, at) => at * factor));

beforeEach(() => {
  repository = new MemoryRepository(seededRandom(1));
  engine = new ModelEngine(repository, chunkBytes);
  volume = new Map([
    ['pg/base/one', { data: dataOf(100), mtimeNs: 1_000_000_001n }],
    ['two', { data: dataOf(200, 3), mtimeNs: 2n }],
  ]);
});

/** The chunks that differ, as a comparison of maps would find them. */
const differing = (before: Buffer, now: Buffer, length: number): number[] =>
  Array.from({ length: Math.ceil(now.length / length) }, (_, chunk) => chunk).filter(
    (chunk) =>
      !before.subarray(chunk * length, (chunk + 1) * length).equals(now.subarray(chunk * length, (chunk + 1) * length)),
  );

function splice(
  baseID: string | undefined,
  before: ModelVolume,
  more: Partial<FilesToSplice> = {},
): Promise<SplicedFiles> {
  const clock = new FakeClock(new Date(engine.nowMs()).toISOString());
  const request: FilesToSplice = {
    sourcePath: modelSource,
    baseID,
    files: [...volume].map(([path, file]) => largeFile(path, file)),
    compare: ({ file, base }) => {
      const was = before.get(file.path)?.data;
      if (was === undefined || base === undefined) return undefined;
      return async (length) => differing(was, volume.get(file.path)?.data ?? Buffer.alloc(0), length);
    },
    read: async ({ path }, into, offset) => void volume.get(path)?.data.copy(into, 0, offset),
    signal,
    ...more,
  };
  const options = { open: repository.open, clock, random: seededRandom(7), checkpointBytes: 3 * chunkBytes };
  return letTimePass(spliceFiles(options, request), clock);
}

const copy = (): ModelVolume =>
  new Map([...volume].map(([path, { data, mtimeNs }]) => [path, { data: Buffer.from(data), mtimeNs }]));

/** Changes a file and, by default, its time. */
function change(path: string, act: (data: Buffer) => Buffer | undefined, isTimed = true): void {
  const file = volume.get(path);
  if (file === undefined) return;
  file.data = act(file.data) ?? file.data;
  if (isTimed) file.mtimeNs += 5n;
}

const write = (path: string, at: number, isTimed = true) =>
  change(path, (data) => void data.writeUInt8(255 - (data[at] ?? 0), at), isTimed);

async function expectRestored(id: string, except: readonly string[] = []): Promise<void> {
  for (const [path, { data }] of volume)
    if (!except.includes(path)) expect((await engine.restored(id, path)).equals(data), path).toBe(true);
}

describe('composed files', () => {
  it('are used by the engine, which reads only files that were not composed', async () => {
    const before = copy();
    const { id: baseID } = await engine.snapshot(volume);
    write('pg/base/one', 40);
    write('pg/base/one', 99);
    volume.set('new', { data: dataOf(90, 7), mtimeNs: 9n });
    const made = await splice(baseID, before);
    expect(made.readBytes).toBe(16 + 4);
    expect(Object.fromEntries(made.files)).toEqual({
      'pg/base/one': { kind: 'compared', isKnown: false, isEqual: true },
      two: { kind: 'compared', isKnown: true, isEqual: true },
      new: { kind: 'engine', isKnown: false },
    });
    const next = await engine.snapshot(volume);
    expect(next.read).toEqual(['new']);
    await expectRestored(next.id);
    expect(repository.manifests.has(made.checkpointID ?? '')).toBe(false);
  });

  it('are in a checkpoint that Velero does not find by its tags and that is marked as unfinished', async () => {
    const before = copy();
    const { id: baseID } = await engine.snapshot(volume);
    write('two', 0);
    const { checkpointID = '' } = await splice(baseID, before);
    const { labels, json = '' } = repository.manifests.get(checkpointID) ?? {};
    expect(labels).toEqual({ type: 'snapshot', hostname: 'default', username: 'default', path: modelSource });
    expect(JSON.parse(json)).toMatchObject({ incomplete: 'checkpoint', source: { path: modelSource } });
    expect(JSON.parse(json)).not.toHaveProperty('pins');
  });

  it('grow, shrink and end in the middle of a chunk', async () => {
    let before = copy();
    let { id } = await engine.snapshot(volume);
    for (const length of [96, 100, 210, 17, 33, 0, 64]) {
      change('two', (data) =>
        Buffer.concat([data.subarray(0, length), Buffer.alloc(Math.max(0, length - data.length), 5)]),
      );
      await splice(id, before);
      ({ id } = await engine.snapshot(volume));
      await expectRestored(id);
      before = copy();
    }
  });

  it('need no checkpoint when the engine uses all of them anyway', async () => {
    const { id } = await engine.snapshot(volume);
    const manifests = repository.manifests.size;
    expect(await splice(id, copy())).toMatchObject({ checkpointID: undefined, readBytes: 0 });
    expect(repository.manifests.size).toBe(manifests);
  });

  it('detect a file that changed without its time, which the engine would not read', async () => {
    const before = copy();
    const { id } = await engine.snapshot(volume);
    write('two', 50, false);
    const made = await splice(id, before);
    expect(made.files.get('two')).toEqual({ kind: 'compared', isKnown: true, isEqual: false });
    expect(made.checkpointID).toBeUndefined();
    // The caller has to do this then.
    const { id: forced } = await engine.snapshot(volume, true);
    await expectRestored(forced);
  });

  it('differ from an unfinished snapshot with the same size and time but other bytes', async () => {
    const before = copy();
    const { id } = await engine.snapshot(volume);
    write('two', 50);
    await splice(id, before);
    write('two', 51, false);
    expect((await splice(id, before)).files.get('two')).toEqual({ kind: 'compared', isKnown: true, isEqual: false });
  });

  it('are none without a base, but the engine may know files', async () => {
    await engine.snapshot(new Map([...copy()].slice(0, 1)));
    const made = await splice(undefined, new Map());
    expect([...made.files.values()]).toEqual([
      { kind: 'engine', isKnown: true },
      { kind: 'engine', isKnown: false },
    ]);
    expect(made.checkpointID).toBeUndefined();
  });

  it('are left to the engine when the base has them in one chunk, because the chunk length is unknown', async () => {
    volume.set('small', { data: dataOf(9), mtimeNs: 1n });
    const before = copy();
    const { id } = await engine.snapshot(volume);
    write('small', 0);
    expect((await splice(id, before)).files.get('small')).toEqual({ kind: 'engine', isKnown: false });
  });

  it('are composed beside an invalid manifest, which has no files', async () => {
    const before = copy();
    const { id } = await engine.snapshot(volume);
    write('two', 0);
    repository.manifests.set('bad', { id: 'bad', labels: sourceLabels(modelSource), json: 'no JSON' });
    expect((await splice(id, before)).files.get('two')).toEqual({ kind: 'compared', isKnown: false, isEqual: true });
  });

  it('are rejected when the base is not the whole volume', async () => {
    const { id } = await engine.snapshot(volume);
    const stored = repository.manifests.get(id);
    const manifest = JSON.parse(stored?.json ?? '{}');
    manifest.rootEntry.summ.numFailed = 1;
    repository.manifests.set(id, { id, labels: sourceLabels(modelSource), json: JSON.stringify(manifest) });
    await expect(splice(id, copy())).rejects.toMatchObject({ details: { reason: 'base snapshot gone' } });
    // The engine uses files from it anyway.
    expect((await splice(undefined, new Map())).files.get('two')).toEqual({ kind: 'engine', isKnown: true });
  });

  it('are rejected when the base is gone', async () => {
    await engine.snapshot(volume);
    await expect(splice('9'.repeat(32), copy())).rejects.toMatchObject({
      code: 'BASE_SNAPSHOT_UNUSABLE',
      details: { reason: 'base snapshot gone' },
    });
  });

  it('are rejected when the base is deleted meanwhile', async () => {
    const before = copy();
    const { id } = await engine.snapshot(volume);
    write('two', 0);
    const read = async () => void repository.manifests.delete(id);
    await expect(splice(id, before, { read })).rejects.toMatchObject({ code: 'BASE_SNAPSHOT_UNUSABLE' });
    expect(repository.manifests.size).toBe(0);
  });

  it.each([[[]], [[99]]])('are rejected when a chunk is missing that the base lacks: %j', async (chunks) => {
    const { id } = await engine.snapshot(volume);
    change('two', (data) => Buffer.concat([data, dataOf(40)]));
    await expect(
      splice(id, new Map(), { compare: ({ file }) => (file.path === 'two' ? async () => chunks : undefined) }),
    ).rejects.toThrow(RangeError);
  });

  it('restore to the content of the volume, after any writes and lost requests', async () => {
    const run = async (seed: number, rounds: number, lossRate: number) => {
      repository = new MemoryRepository(seededRandom(seed));
      engine = new ModelEngine(repository, chunkBytes);
      volume = new Map(
        ['a', 'd/b', 'd/e/c'].map((path, at) => [path, { data: dataOf(60 + at * 50, at + 1), mtimeNs: 1n }]),
      );
      const random = seededRandom(seed + 1);
      const next = (below: number) => Math.floor(random.next() * below);
      let before = copy();
      let { id } = await engine.snapshot(volume);
      for (let round = 0; round < rounds; round++) {
        for (const path of [...volume.keys()]) {
          if (next(3) === 0) continue;
          const cut = next(200);
          if (next(4) === 0) change(path, (data) => Buffer.concat([data, Buffer.alloc(200)]).subarray(0, cut));
          else if ((volume.get(path)?.data.length ?? 0) > 0)
            write(path, next(volume.get(path)?.data.length ?? 1), next(6) > 0);
        }
        repository.lossRate = lossRate;
        const made = await splice(id, before).catch(() => undefined);
        repository.lossRate = 0;
        const isStale = [...(made?.files.values() ?? [])].some(
          (one) => one.kind === 'compared' && one.isKnown && !one.isEqual,
        );
        ({ id } = await engine.snapshot(volume, isStale || made === undefined));
        // Used by the engine because of size and time, and not compared: may be old, and must not be a base.
        const unsure = made === undefined || isStale ? [] : [...made.files].filter(isUnsure).map(([path]) => path);
        await expectRestored(id, unsure);
        before = copy();
        for (const path of unsure) before.delete(path);
      }
    };
    const isUnsure = ([, one]: [string, SplicedFile]) => one.kind === 'engine' && one.isKnown;
    await fc.assert(fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 5 }), fc.constantFrom(0, 0.02), run), {
      numRuns: 60,
    });
  });
});

it('have times in the format of Go', () => {
  expect(timeTextNs(0n)).toBe('1970-01-01T00:00:00Z');
  expect(timeTextNs(1_500_000_000n)).toBe('1970-01-01T00:00:01.5Z');
  expect(timeTextNs(-1n)).toBe('1969-12-31T23:59:59.999999999Z');
});
