import { stat } from 'node:fs/promises';
import type { StatusLink } from '@lateen/block-engine';
import { freePorts } from '@lateen/cluster';
import { isAppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import { connectReplica } from '@lateen/nbd';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DaemonRig, daemonRig, fill, firstDifference, Model, readAll, sizeBytes } from '../block/daemon-rig.ts';

const setUpMs = 900_000;
const KiB = 1024;
const MiB = 1024 * KiB;
const code = (name: string) => expect.toSatisfy((error) => isAppError(error, name));

let rig: DaemonRig;
beforeEach(async () => {
  rig = await daemonRig();
}, setUpMs);
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
});

const daemon = () => rig.started().daemon;

/** A volume of one layer, opened and exported, and a link to it. */
async function volume(): Promise<StatusLink> {
  await rig.create('l0');
  await rig.open('l0');
  await rig.serve('l0');
  return rig.link('l0');
}

/** Replaces the head by the next layer while clients write. */
async function snapshot(head: string, overlay: string): Promise<void> {
  await rig.create(overlay, head);
  await rig.open(overlay);
  await daemon().blockdevSnapshot({ node: head, overlay });
}

const allocatedBytes = async (layer: string): Promise<number> => (await stat(rig.file(layer))).blocks * 512;

/** The layer of an area, counted from the exported one; 0 is none. */
async function depths(link: StatusLink, at: number, lengthBytes: number): Promise<[number, number][]> {
  const runs = await link.status('qemu:allocation-depth', BigInt(at), lengthBytes);
  return runs.map(({ lengthBytes: length, value }) => [length, value]);
}

describe('the storage daemon of this machine', () => {
  it('has everything that we use, in a known release', () => {
    expect(daemon()).toMatchObject({ tested: true });
  });

  it('reports why a second one cannot use the same paths', async () => {
    const second = rig.start();
    await expect(second).rejects.toMatchObject({
      code: expect.stringMatching(/^(STORAGE_DAEMON_ENDED|QMP_SILENT)$/),
    });
  });
});

describe('a snapshot below a live export', () => {
  it('keeps what was written before it, and gets nothing that is written later', async () => {
    await using link = await volume();
    const model = new Model();
    await fill(link, model, 0, 8 * MiB, 0x11);
    await snapshot('l0', 'l1');
    const before = Buffer.from(model.bytes);
    await fill(link, model, 4 * MiB - 512, 2 * MiB, 0x22);
    expect(firstDifference(await readAll(link), model.bytes)).toBeUndefined();
    await rig.serveReading('l0');
    await using reader = await rig.link('l0-read');
    expect(firstDifference(await readAll(reader), before)).toBeUndefined();
    await expect(reader.write(0n, [Buffer.alloc(512)])).rejects.toThrow();
  });

  it('frees room when later writes are trimmed', async () => {
    await using link = await volume();
    await snapshot('l0', 'l1');
    const empty = await allocatedBytes('l1');
    await fill(link, new Model(), 0, 16 * MiB, 0x33);
    await link.flush();
    expect(await allocatedBytes('l1')).toBeGreaterThan(empty + 15 * MiB);
    await link.trim(0n, 16 * MiB);
    await link.flush();
    expect(await allocatedBytes('l1')).toBeLessThan(empty + MiB);
  });

  it('uses no room for written zeros', async () => {
    await using link = await volume();
    await snapshot('l0', 'l1');
    const empty = await allocatedBytes('l1');
    await link.write(0n, [Buffer.alloc(8 * MiB)]);
    await link.flush();
    expect(await allocatedBytes('l1')).toBeLessThan(empty + MiB);
  });
});

describe('a merge below a live export', () => {
  it('keeps every byte, beside a writer, and the layer can be removed afterwards', async () => {
    await using link = await volume();
    const model = new Model();
    await fill(link, model, 0, 16 * MiB, 0x11);
    await snapshot('l0', 'l1');
    await fill(link, model, 4 * MiB, 8 * MiB, 0x22);
    await snapshot('l1', 'l2');
    let merging = true;
    const writing = (async () => {
      for (let n = 0; merging || n < 50; n++)
        await fill(link, model, ((n * 37) % 4_000) * 8 * KiB, 4 * KiB, 0x40 + (n % 64));
    })();
    const seen: number[] = [];
    const merge = { jobId: 'merge-l1', head: 'l2', top: 'l1', base: 'l0', backingFile: 'l0.qcow2' };
    await daemon().blockCommit(merge, { onProgress: ({ done }) => seen.push(done) });
    merging = false;
    await writing;
    expect(seen.at(-1)).toBe(sizeBytes);
    expect(await daemon().queryJobs()).toEqual([]);
    expect(firstDifference(await readAll(link), model.bytes)).toBeUndefined();
    await daemon().blockdevDel('l1');
    expect((await daemon().queryNamedBlockNodes()).map(({ nodeName }) => nodeName).sort()).toEqual(['l0', 'l2']);
    expect((await rig.image.info(rig.file('l2'), { inUse: true })).backingFile).toBe('l0.qcow2');
    await rig.started()[Symbol.asyncDispose]();
    for (const layer of ['l0', 'l2'])
      expect(await rig.image.check(rig.file(layer))).toEqual({ sound: true, corruptions: 0, leaks: 0, checkErrors: 0 });
  });

  it('continues beside a reader of the layer that it changes: only callers can prevent such readers', async () => {
    await using link = await volume();
    const model = new Model();
    await fill(link, model, 0, MiB, 0x11);
    await snapshot('l0', 'l1');
    await fill(link, model, 0, MiB, 0x22);
    await snapshot('l1', 'l2');
    await rig.serveReading('l0');
    await using reader = await rig.link('l0-read');
    expect((await readAll(reader))[0]).toBe(0x11);
    await daemon().blockCommit({ jobId: 'merge', head: 'l2', top: 'l1', base: 'l0' });
    expect((await readAll(reader))[0]).toBe(0x22);
  });

  it('can be started again after an abort', async () => {
    await using link = await volume();
    const model = new Model();
    await fill(link, model, 0, 16 * MiB, 0x11);
    await snapshot('l0', 'l1');
    await fill(link, model, 4 * MiB, 16 * MiB, 0x22);
    await snapshot('l1', 'l2');
    const merge = { jobId: 'merge', head: 'l2', top: 'l1', base: 'l0', bytesPerSecondMax: MiB };
    const stop = new AbortController();
    const stopped = daemon().blockCommit(merge, {
      signal: stop.signal,
      onProgress: ({ done }) => done > 0 && stop.abort(new Error('stopped')),
    });
    await expect(stopped).rejects.toThrow('stopped');
    expect(await daemon().queryJobs()).toEqual([]);
    expect(firstDifference(await readAll(link), model.bytes)).toBeUndefined();
    await daemon().blockCommit({ ...merge, bytesPerSecondMax: 0 });
    expect(firstDifference(await readAll(link), model.bytes)).toBeUndefined();
  });
});

describe('growing a volume', () => {
  it('needs its export removed, keeps the data, and later links see the new size', async () => {
    const link = await volume();
    const model = new Model();
    await fill(link, model, 0, sizeBytes, 0x55);
    const larger = { nodeName: 'l0', sizeBytes: BigInt(2 * sizeBytes) };
    await expect(daemon().blockResize(larger)).rejects.toEqual(code('QMP_COMMAND_FAILED'));
    await daemon().blockExportDel({ id: 'of-l0', mode: 'hard' });
    expect(await link.closed).toEqual(code('LINK_LOST'));
    await daemon().blockResize(larger);
    await rig.serve('l0');
    await using grown = await rig.link('l0');
    expect(grown.sizeBytes).toBe(BigInt(2 * sizeBytes));
    const bytes = await readAll(grown);
    expect(firstDifference(bytes.subarray(0, sizeBytes), model.bytes)).toBeUndefined();
    expect(firstDifference(bytes.subarray(sizeBytes), Buffer.alloc(sizeBytes))).toBeUndefined();
  });

  it('changes only the head: the layers below keep their size, and the rest reads as zeros', async () => {
    const link = await volume();
    await fill(link, new Model(), 0, sizeBytes, 0x55);
    await snapshot('l0', 'l1');
    await daemon().blockExportDel({ id: 'of-l0', mode: 'hard' });
    await daemon().blockResize({ nodeName: 'l1', sizeBytes: BigInt(2 * sizeBytes) });
    await rig.serve('l1');
    await using grown = await rig.link('l1');
    const bytes = await readAll(grown);
    expect([bytes.length, bytes[sizeBytes - 1], bytes[sizeBytes], bytes.at(-1)]).toEqual([2 * sizeBytes, 0x55, 0, 0]);
  });
});

describe('an export', () => {
  it('that is removed in hard mode cuts its links, and its name is no longer served', async () => {
    const link = await volume();
    await daemon().blockExportDel({ id: 'of-l0', mode: 'hard' });
    await link.closed;
    await expect(rig.link('l0')).rejects.toEqual(code('LINK_REFUSED'));
    await daemon().blockExportDel({ id: 'of-l0', mode: 'hard' });
  });

  it('that is removed in safe mode stays while a client is linked to it', async () => {
    await using link = await volume();
    const request = { id: 'of-l0', mode: 'safe' } as const;
    await expect(daemon().blockExportDel(request)).rejects.toEqual(code('QMP_COMMAND_FAILED'));
    expect((await link.read(0n, 512)).length).toBeGreaterThan(0);
  });
});

describe('the NBD server', () => {
  it('exists once: on TCP only after it has left the unix socket, and its end removes the exports', async () => {
    const link = await volume();
    const [port = 0] = await freePorts(1);
    const at = { host: '127.0.0.1', port };
    await expect(daemon().nbdServerStart(at)).rejects.toEqual(code('QMP_COMMAND_FAILED'));
    await daemon().nbdServerStop();
    expect(await link.closed).toEqual(code('LINK_LOST'));
    expect(await daemon().queryBlockExports()).toEqual([]);
    await daemon().nbdServerStart(at);
    await rig.serve('l0');
    await using again = await connectReplica({ at, exportName: 'l0', clock: systemClock });
    const model = new Model();
    await Promise.all(Array.from({ length: 16 }, (_, n) => fill(again, model, n * 8 * KiB, 4 * KiB, n + 1)));
    expect(firstDifference(await readAll(again), model.bytes)).toBeUndefined();
  });
});

/** For one replica at a time: the layer is alone, has a layer below, or gets one later, as in a rebuild. */
const places = ['alone', 'on a layer', 'before its layer is there'] as const;
/** Less than a unit, a unit, less than a cluster, a cluster, more; none of them aligned. */
const areas = [
  [0, 512],
  [8 * KiB, 4 * KiB],
  [256 * KiB, 64 * KiB],
  [512 * KiB, 128 * KiB],
  [MiB + 512, 3 * MiB],
] as const;

/** Zeroes or trims areas of a head at one of the places, and returns the content of the volume afterwards. */
async function afterwards(place: (typeof places)[number], act: (link: StatusLink) => Promise<void>): Promise<Buffer> {
  await rig.create('l0');
  await rig.open('l0');
  await rig.serve('l0');
  await using lower = await rig.link('l0');
  await fill(lower, new Model(), 0, 8 * MiB, 0x77);
  if (place === 'alone') {
    await act(lower);
    return await readAll(lower);
  }
  await rig.create('l1', 'l0');
  await rig.open('l1', place === 'on a layer' ? 'l0' : null);
  await rig.serve('l1');
  {
    await using head = await rig.link('l1');
    await act(head);
    if (place === 'on a layer') return await readAll(head);
  }
  await daemon().blockExportDel({ id: 'of-l1', mode: 'hard' });
  await daemon().blockdevDel('l1');
  await rig.open('l1', 'l0');
  await rig.serve('l1');
  await using head = await rig.link('l1');
  return await readAll(head);
}

describe('writes of zeros', () => {
  const wanted = new Model();
  wanted.fill(0, 8 * MiB, 0x77);
  for (const [at, lengthBytes] of areas) wanted.fill(at, lengthBytes, 0);

  it.each(places.flatMap((place) => [true, false].map((unmap) => ({ place, unmap }))))(
    'with unmap $unmap read as zeros in a head $place, and change nothing beside them',
    async ({ place, unmap }) => {
      // A unit of 4 KiB is the smallest part of a layer: the engine rounds smaller requests up while a layer is missing.
      const some =
        place === 'before its layer is there' ? areas.filter(([at, n]) => (at | n) % (4 * KiB) === 0) : areas;
      const model = new Model();
      model.fill(0, 8 * MiB, 0x77);
      for (const [at, lengthBytes] of some) model.fill(at, lengthBytes, 0);
      const bytes = await afterwards(place, async (link) => {
        for (const [at, lengthBytes] of some) await link.zero(BigInt(at), lengthBytes, { unmap });
      });
      expect(firstDifference(bytes, model.bytes)).toBeUndefined();
    },
  );

  it('replace trims on replicas, because the content after a trim is undefined: here old bytes, there zeros', async () => {
    const read = async (place: (typeof places)[number], at: number, lengthBytes: number) => {
      const bytes = await afterwards(place, (link) => link.trim(BigInt(at), lengthBytes));
      await rig[Symbol.asyncDispose]();
      rig = await daemonRig();
      return bytes[at];
    };
    expect(await read('alone', 0, 4 * KiB)).toBe(0x77);
    expect(await read('alone', 0, 128 * KiB)).toBe(0);
    expect(await read('on a layer', 0, 128 * KiB)).toBe(0);
    expect(await read('before its layer is there', 0, 128 * KiB)).toBe(0x77);
  });

  it('are distinguished from areas that are not in the layer, in units of 4 KiB', async () => {
    await using link = await volume();
    await fill(link, new Model(), 0, MiB, 0x11);
    await snapshot('l0', 'l1');
    await link.zero(BigInt(64 * KiB), 4 * KiB, { unmap: true });
    await fill(link, new Model(), 128 * KiB, 8 * KiB, 0x22);
    expect(await depths(link, 0, MiB)).toEqual([
      [64 * KiB, 2],
      [4 * KiB, 1],
      [60 * KiB, 2],
      [8 * KiB, 1],
      [MiB - 136 * KiB, 2],
    ]);
    expect((await depths(link, 2 * MiB, MiB))[0]?.[1]).toBe(0);
  });
});

describe('a head that is written before its layer is added', () => {
  const unitOf = async (make: () => Promise<unknown>) => {
    await rig.create('l0');
    await rig.open('l0');
    await rig.serve('l0');
    await using lower = await rig.link('l0');
    await fill(lower, new Model(), 0, MiB, 0x11);
    await make();
    await rig.open('l1');
    await rig.serve('l1');
    {
      await using head = await rig.link('l1');
      await fill(head, new Model(), 16 * KiB, 4 * KiB, 0x22);
    }
    await daemon().blockExportDel({ id: 'of-l1', mode: 'hard' });
    await daemon().blockdevDel('l1');
    await rig.open('l1', 'l0');
    await rig.serve('l1');
    await using head = await rig.link('l1');
    const bytes = await readAll(head);
    return [8, 16, 20].map((at) => bytes[at * KiB]);
  };

  it('covers only what was written, in units of 4 KiB', async () => {
    expect(await unitOf(() => rig.create('l1', 'l0'))).toEqual([0x11, 0x22, 0x11]);
  });

  it("would cover neighbouring data with qemu's default clusters", async () => {
    const options = ['-f', 'qcow2', '-o', 'cluster_size=64k', '-u', '-b', 'l0.qcow2', '-F', 'qcow2'];
    const make = () => execa(rig.tools.qemuImg, ['create', '-q', ...options, rig.file('l1'), `${sizeBytes}`]);
    expect(await unitOf(make)).toEqual([0, 0x22, 0]);
  });
});

describe('a daemon that is killed', () => {
  it('leaves consistent files with every flushed write, also when it is killed during a merge', async () => {
    const link = await volume();
    const model = new Model();
    await fill(link, model, 0, 16 * MiB, 0x11);
    await snapshot('l0', 'l1');
    await fill(link, model, 4 * MiB, 16 * MiB, 0x22);
    await snapshot('l1', 'l2');
    const slow = { jobId: 'merge', head: 'l2', top: 'l1', base: 'l0', bytesPerSecondMax: 2 * MiB };
    const merged = daemon()
      .blockCommit(slow)
      .catch((error: unknown) => error);
    const unflushed = await writeUntilKilled(link, model);
    expect(await merged).toEqual(code('STORAGE_DAEMON_ENDED'));
    expect((await rig.started().ended).message).toContain('by SIGKILL');
    for (const layer of ['l0', 'l1', 'l2'])
      expect(await rig.image.check(rig.file(layer))).toMatchObject({ sound: true, corruptions: 0 });
    await rig.start();
    await rig.open('l0', null, true);
    await rig.open('l1', 'l0', true);
    await rig.open('l2', 'l1');
    await rig.serve('l2');
    await using again = await rig.link('l2');
    const bytes = await readAll(again);
    for (const [at, value] of unflushed) {
      const block = bytes.subarray(at, at + unitBytes);
      if (block[0] === value) model.fill(at, unitBytes, value);
    }
    expect(firstDifference(bytes, model.bytes)).toBeUndefined();
    await daemon().blockCommit({ ...slow, bytesPerSecondMax: 0 });
    expect(firstDifference(await readAll(again), model.bytes)).toBeUndefined();
  });
});

it('keeps a write with FUA when it is killed', async () => {
  const link = await volume();
  await link.write(BigInt(MiB), [Buffer.alloc(unitBytes, 0x44)], { fua: true });
  await rig.kill();
  await rig.start();
  await rig.open('l0');
  await rig.serve('l0');
  await using again = await rig.link('l0');
  expect((await readAll(again))[MiB]).toBe(0x44);
});

const unitBytes = 4 * KiB;
const writes = { beforeKill: 300, perFlush: 25 };

/** Writes each unit once, flushes now and then, and kills the daemon meanwhile. The model has what was flushed; the rest is returned. */
async function writeUntilKilled(link: StatusLink, model: Model): Promise<Map<number, number>> {
  const unflushed = new Map<number, number>();
  const writing = async () => {
    for (let n = 0; ; n++) {
      if (n === writes.beforeKill) void rig.kill();
      const at = ((n * 3_001) % (sizeBytes / unitBytes)) * unitBytes;
      const value = 0x80 + (n % 100);
      unflushed.set(at, value);
      await link.write(BigInt(at), [Buffer.alloc(unitBytes, value)]);
      if (n % writes.perFlush !== 0) continue;
      await link.flush();
      for (const [flushed, byte] of unflushed) model.fill(flushed, unitBytes, byte);
      unflushed.clear();
    }
  };
  await expect(writing()).rejects.toEqual(code('LINK_LOST'));
  return unflushed;
}
