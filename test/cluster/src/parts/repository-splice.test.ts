import { fileURLToPath } from 'node:url';
import { allProcesses, processFacts } from '@lateen/child-process';
import { systemClock, systemRandom } from '@lateen/kernel';
import { restateTags } from '@lateen/repository-session';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isAlive } from '../repository/session-rig.ts';
import { chunkBytes, type SpliceRig, spliceRig, volumeSource, watched } from '../repository/splice-rig.ts';

/** Snapshots made of a base and changes, checked with the real kopia: what it restores, verifies and keeps. */
const MiB = 1024 ** 2;
const sizeBytes = 3 * MiB + 1000;
const patience = { timeout: 30_000, interval: 50 };
let rig: SpliceRig;
let baseID: string;

beforeEach(async () => {
  rig = await spliceRig(sizeBytes);
  await rig.write(0, 2 * MiB, 'the first state ');
  for (let at = 0; at < 2 * MiB; at += chunkBytes) await rig.write(at, 16, `chunk ${at}`);
  baseID = await rig.takeWhole();
});
afterEach(() => rig.close());

/** Verifies with kopia: each content of each snapshot is read. */
const verify = () => rig.kopia(['snapshot', 'verify', '--verify-files-percent=100', '--no-progress']);

describe('a spliced snapshot', () => {
  it('is restored byte for byte by the program, passes its checks and survives the deletion of the base and full maintenance', async () => {
    const states = new Map([[baseID, await rig.content()]]);
    let last = baseID;
    for (const at of [0, 5 * chunkBytes - 8, sizeBytes - 3, 2 * MiB + 5]) {
      const made = await rig.splice(last, [await rig.write(at, 3, `${at}`)]);
      expect(made).toMatchObject({ totalBytes: sizeBytes, readBytes: made.changedBytes });
      expect(made.changedBytes).toBeLessThanOrEqual(2 * chunkBytes);
      last = made.snapshotID;
      states.set(last, await rig.content());
    }
    await verify();
    await rig.kopia(['snapshot', 'delete', baseID, '--delete']);
    states.delete(baseID);
    // Without safety waits, so that everything unreferenced is deleted.
    await rig.kopia(['maintenance', 'run', '--full', '--safety=none']);
    await verify();
    for (const [id, content] of states) expect((await rig.restored(id)).equals(content), id).toBe(true);
    expect(await rig.snapshots()).toHaveLength(states.size);
  });

  it('is found by Velero as a parent, and listed by the program', async () => {
    const { snapshotID } = await rig.splice(baseID, [await rig.write(9, 1, 'x')]);
    const shown = await rig.kopia(['manifest', 'show', snapshotID]);
    for (const [name, value] of Object.entries(volumeSource.tags)) expect(shown).toContain(`// label ${name}:${value}`);
    const manifest = JSON.parse(shown.replaceAll(/^\/\/.*$/gm, '')) as Record<string, unknown>;
    const tags = { ...volumeSource.tags, 'lateen-increments-since-check': '1' };
    expect(manifest).toMatchObject({ tags, pins: ['velero-pin'], stats: { totalSize: sizeBytes } });
    const listed = JSON.parse(await rig.kopia(['snapshot', 'list', '--all', '--json'])) as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual([baseID, snapshotID]);
    const whole = JSON.parse((await rig.kopia(['manifest', 'show', baseID])).replaceAll(/^\/\/.*$/gm, ''));
    // The fields are those that the program writes.
    expect(keysOf(manifest)).toEqual(keysOf({ ...whole, tags, pins: ['velero-pin'] }));
  });

  const keysOf = (value: unknown): unknown =>
    typeof value !== 'object' || value === null
      ? typeof value
      : Object.fromEntries(
          Object.entries(value)
            .map(([key, inner]) => [key, keysOf(inner)])
            .sort(),
        );

  it('has the same objects as a whole upload of the same volume', async () => {
    const { snapshotID } = await rig.splice(baseID, [await rig.write(300_000, 200_000, 'y')]);
    const whole = await rig.takeWhole();
    const fileOf = async (id: string) => {
      const [, root = ''] = /"obj": "(\w+)"/.exec(await rig.kopia(['manifest', 'show', id])) ?? [];
      return (JSON.parse(await rig.kopia(['content', 'show', root])) as { entries: { obj: string }[] }).entries[0]?.obj;
    };
    expect(await fileOf(snapshotID)).toBe(await fileOf(whole));
  });

  it('verifies unchanged chunks against the IDs of the program, and finds one that is stored with other bytes', async () => {
    const chunksToVerify = (since: number) => (since === 0 ? [] : [0, 7, 24]);
    const first = await rig.splice(baseID, [await rig.write(300_000, 3, 'y')], { chunksToVerify });
    const second = await rig.splice(first.snapshotID, [], { chunksToVerify });
    expect(second).toMatchObject({ readBytes: 0, verifiedBytes: 2 * chunkBytes + (sizeBytes % chunkBytes) });
    const third = await rig.splice(second.snapshotID, [await rig.write(5, 1, 'z')], { chunksToVerify });
    expect(third).toMatchObject({ readBytes: chunkBytes, verifiedBytes: 0 });
    // A write that the list of changes does not contain.
    await rig.write(7 * chunkBytes + 9, 1, 'lost');
    const before = await rig.snapshots();
    await expect(rig.splice(third.snapshotID, [], { chunksToVerify: () => [3, 7, 24] })).rejects.toMatchObject({
      code: 'BASE_SNAPSHOT_UNUSABLE',
      details: { reason: 'base snapshot differs from the volume', offset: 7 * chunkBytes },
    });
    expect((await rig.snapshots()).sort()).toEqual(before.sort());
  });

  it('is rejected when the base was split in another way', async () => {
    const other = await rig.takeWhole('other');
    const request = { source: { ...volumeSource, path: 'other' } };
    await expect(rig.splice(other, [], request)).rejects.toMatchObject({
      code: 'BASE_SNAPSHOT_UNUSABLE',
      details: { reason: 'base snapshot is cut in another way' },
    });
    expect(rig.pids.filter(isAlive)).toEqual([]);
  });
});

describe('a snapshot of the program whose tags are replaced', () => {
  const ports = { clock: systemClock, random: systemRandom };
  const { signal } = new AbortController();

  const taken = async (): Promise<string> => {
    const tags = Object.entries(volumeSource.tags).map(([name, value]) => `--tags=${name}:${value}`);
    const source = [`--override-source=default@default:${volumeSource.path}`, '--pin=velero-pin', '--tags=lateen-x:y'];
    const args = ['snapshot', 'create', rig.workDirectory, ...source, ...tags, '--json', '--no-progress'];
    return (JSON.parse(await rig.kopia(args)) as { id: string }).id;
  };

  const manifestOf = async (id: string) =>
    JSON.parse((await rig.kopia(['manifest', 'show', id])).replaceAll(/^\/\/.*$/gm, '')) as Record<string, unknown>;

  it("has a new ID and everything else unchanged, and Velero's rules find it", async () => {
    const old = await taken();
    const before = await manifestOf(old);
    const open = (stop: AbortSignal) => rig.open(undefined, stop);
    const snapshotID = await restateTags({ ...ports, open }, { snapshotID: old, source: volumeSource, signal });
    expect((await rig.snapshots()).sort()).toEqual([baseID, snapshotID].sort());
    const tags = { ...volumeSource.tags, 'tag:lateen-x': 'y' };
    expect(await manifestOf(snapshotID)).toEqual({ ...before, id: old, tags });
    const labelled = await rig.kopia(['manifest', 'list', '--filter=snapshot-uploader:kopia', '--json']);
    expect((JSON.parse(labelled) as { id: string }[]).map(({ id }) => id)).toEqual([snapshotID]);
    const listed = JSON.parse(await rig.kopia(['snapshot', 'list', '--all', '--json'])) as { id: string }[];
    expect(listed.map(({ id }) => id)).toContain(snapshotID);
    expect(await restateTags({ ...ports, open }, { snapshotID: old, source: volumeSource, signal })).toBe(snapshotID);
  });

  it('exists once, whichever request its server is killed at', async () => {
    for (let killAt = 1, reached = true; reached; killAt++) {
      const snapshotID = await taken();
      let requests = 0;
      reached = false;
      const open = async () =>
        watched(await rig.open(), async () => {
          if (++requests !== killAt) return;
          reached = true;
          process.kill(rig.pids.at(-1) ?? 0, 'SIGKILL');
        });
      const id = await restateTags({ ...ports, open }, { snapshotID, source: volumeSource, signal });
      expect((await rig.snapshots()).sort(), `killed at ${killAt}`).toEqual([baseID, id].sort());
      await rig.kopia(['snapshot', 'delete', id, '--delete']);
    }
  });
});

describe('a splice whose server is killed', () => {
  it('is completed once, whichever request the kill happens at', async () => {
    const made: string[] = [];
    const changed = [await rig.write(0, 1, 'a'), await rig.write(MiB, 1, 'b'), await rig.write(sizeBytes - 1, 1, 'c')];
    for (let killAt = 1, reached = true; reached; killAt++) {
      let requests = 0;
      reached = false;
      const open = async () => {
        const session = await rig.open();
        return watched(session, async () => {
          if (++requests !== killAt) return;
          reached = true;
          process.kill(rig.pids.at(-1) ?? 0, 'SIGKILL');
        });
      };
      made.push((await rig.splice(baseID, changed, { open })).snapshotID);
    }
    // Base, three chunks with a flush each, list, folder, manifest: each of them was interrupted once.
    expect(made.length).toBeGreaterThanOrEqual(13);
    expect((await rig.snapshots()).sort()).toEqual([baseID, ...made].sort());
    const content = await rig.content();
    for (const id of made) expect((await rig.restored(id)).equals(content), id).toBe(true);
    await verify();
    expect(rig.pids.filter(isAlive)).toEqual([]);
    expect(await rig.leftovers()).toEqual([]);
  });
});

describe('a splice whose process is killed', () => {
  const program = fileURLToPath(new URL('../repository/splicing-program.ts', import.meta.url));

  const started = (changed: { offset: number; length: number }[], more: { hangsAt?: number } = {}) => {
    const request = { source: volumeSource, baseID, changed, sizeBytes, chunkBytes, fileName: '/uid' };
    const place = { program: rig.program, workDirectory: rig.workDirectory, target: rig.target(), volume: rig.volume };
    const task = JSON.stringify({ ...place, request, checkpointBytes: chunkBytes, ...more });
    return execa(process.execPath, [program, task], { reject: false });
  };

  const serverOf = async (parentPid: number): Promise<number | undefined> =>
    (await allProcesses()).find((one) => one.parentPid === parentPid)?.pid;

  it('leaves no server, and the next splice continues from the flushed data', async () => {
    await rig.write(0, 3 * MiB, Buffer.from(Array.from({ length: 3 * MiB }, (_, at) => (at * 2_654_435_761) >>> 24)));
    const changed = [{ offset: 0, length: 3 * MiB }];
    const before = await rig.storedBytes();
    const first = started(changed, { hangsAt: 2 * MiB });
    let server: number | undefined;
    for await (const line of first.iterable()) {
      const { uploadedBytes } = JSON.parse(line) as { uploadedBytes: number };
      if (uploadedBytes < 2 * MiB) continue;
      server = await serverOf(first.pid ?? 0);
      first.kill('SIGKILL');
      break;
    }
    expect((await first).isTerminated).toBe(true);
    expect(server).toBeDefined();
    // An ended process may still be a zombie.
    await vi.waitFor(async () => expect((await processFacts(server ?? 0))?.zombie ?? true).toBe(true), patience);
    const between = await rig.storedBytes();
    expect(between - before).toBeGreaterThan(1.9 * MiB);
    const { stdout = '' } = await started(changed);
    const { snapshotID } = JSON.parse(stdout.split('\n').at(-1) ?? '') as { snapshotID: string };
    // Flushed data is not stored again.
    expect((await rig.storedBytes()) - between).toBeLessThan(1.2 * MiB);
    expect((await rig.restored(snapshotID)).equals(await rig.content())).toBe(true);
    await verify();
  });
});
