import { mkdir, readdir, readFile, statfs, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { systemClock as clock, parseMountInfo } from '@lateen/kernel';
import { connectReplica } from '@lateen/nbd';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { markedDevices } from '../block/marked-devices.ts';
import { exportHead, headExport, headNode } from '../block/replica-daemon.ts';
import { frontendOf, reserveBytes, type VolumeRig, volumeBytes, volumeName, volumeRig } from '../block/volume-rig.ts';

const MiB = 1024 * 1024;
const testMs = 300_000;
const isRoot = process.getuid?.() === 0;
const { signal } = new AbortController();

let rig: VolumeRig | undefined;
const started = async (options: Parameters<typeof volumeRig>[0]): Promise<VolumeRig> => {
  rig = await volumeRig(options);
  return rig;
};
afterEach(async () => {
  await rig?.[Symbol.asyncDispose]();
  rig = undefined;
}, testMs);

/** Writes at random places and reads all of it back: each block has its own checksum. */
function fioVerify({ tools, directory }: VolumeRig, device: string, bs: string, depth: number, sizeBytes: number) {
  const job = ['--name=x', `--filename=${device}`, '--rw=randwrite', `--bs=${bs}`, `--iodepth=${depth}`];
  const io = ['--ioengine=libaio', '--direct=1', `--size=${sizeBytes}`];
  const verify = ['--verify=crc32c', '--do_verify=1', '--verify_fatal=1', '--verify_state_save=0'];
  return execa(tools.fio, [...job, ...io, ...verify], { cwd: directory });
}

/** Remains of the rig's volume in the kernel and among the processes. */
async function leftovers({ directory }: VolumeRig): Promise<string[]> {
  const loops = await markedDevices(basename(directory));
  const mounts = parseMountInfo(await readFile('/proc/self/mountinfo', 'utf8')).filter(({ mountPoint }) =>
    mountPoint.startsWith(directory),
  );
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  const fuse = lines.filter((line) => line.includes('nbdfuse') && line.includes(directory));
  return [...loops.map(({ path }) => path), ...mounts.map(({ mountPoint }) => mountPoint), ...fuse];
}

async function replicasAreEqual({ image, replicas }: VolumeRig, names: readonly string[]): Promise<void> {
  const [first, ...others] = replicas.filter(({ name }) => names.includes(name));
  for (const other of others) {
    const { equal, said } = await image.compare(`${first?.imagePath}`, other.imagePath, { inUse: true });
    expect({ name: other.name, equal, said }).toMatchObject({ equal: true });
  }
}

/** Grows as the engine's host does: during a pause each replica removes its export, grows and exports again. */
async function growEngine({ set, replicas }: VolumeRig, sizeBytes: number): Promise<void> {
  const resume = await set.pause({ maxMs: 30_000, signal });
  for (const { name, daemon, at, exportName } of replicas) {
    await set.relink(name, async () => {
      await daemon.blockExportDel({ id: headExport, mode: 'hard' });
      await daemon.blockResize({ nodeName: headNode, sizeBytes: BigInt(sizeBytes) });
      await exportHead(daemon, exportName);
      return connectReplica({ at, exportName, clock });
    });
  }
  set.resize(BigInt(sizeBytes));
  await resume();
}

describe.skipIf(!isRoot)('a volume with replicas', () => {
  it.each([2, 3])(
    'has on %s replicas the data that was written at depth 32 through the front end',
    { timeout: testMs },
    async (replicas) => {
      const volume = await started({ replicas });
      const { path, sizeBytes } = await volume.attach();
      expect(sizeBytes).toBe(volumeBytes);
      await fioVerify(volume, path, '4k', 32, 16 * MiB);
      await fioVerify(volume, path, '1M', 8, 64 * MiB);
      await volume.frontend.stop(volumeName, signal);
      expect(await leftovers(volume)).toEqual([]);
      expect(await volume.set.stop({ signal: clock.deadline(60_000) })).toEqual({ clean: true });
      await replicasAreEqual(
        volume,
        volume.replicas.map(({ name }) => name),
      );
    },
  );

  it('acknowledges no write while the failure of a replica is not recorded, and then continues without an error', {
    timeout: testMs,
  }, async () => {
    const recorded = Promise.withResolvers<void>();
    const failures: string[] = [];
    const volume = await started({
      replicas: 3,
      recordFailure: async ({ replica }) => {
        failures.push(replica);
        await recorded.promise;
      },
    });
    const { path } = await volume.attach();
    const writing = fioVerify(volume, path, '4k', 32, 32 * MiB);
    while (volume.acknowledged() < 500) await clock.sleep(5);
    await volume.replicas[1]?.kill();
    while (failures.length === 0) await clock.sleep(5);
    await clock.sleep(50);
    const before = volume.acknowledged();
    await clock.sleep(500);
    expect(volume.acknowledged()).toBe(before);
    expect(volume.set.state.unrecorded.map(({ replica }) => replica)).toEqual(['replica-1']);
    expect(volume.set.state.pendingRequests).toBeGreaterThan(0);
    recorded.resolve();
    expect((await writing).exitCode).toBe(0);
    expect(volume.acknowledged()).toBeGreaterThan(before);
    expect([...volume.set.state.modes.keys()]).toEqual(['replica-0', 'replica-2']);
    await volume.frontend.stop(volumeName, signal);
    await volume.set.stop({ signal: clock.deadline(60_000) });
    await replicasAreEqual(volume, ['replica-0', 'replica-2']);
  });

  it('has a consistent XFS after files are written and it is detached', { timeout: testMs }, async () => {
    const volume = await started({ replicas: 2 });
    const { path } = await volume.attach();
    const mountPoint = join(volume.directory, 'data');
    await mkdir(mountPoint);
    await execa('mkfs.xfs', ['-q', '-f', path]);
    await execa('mount', [path, mountPoint]);
    const texts = Array.from({ length: 40 }, (_, n) => Buffer.alloc(256 * 1024 + n, `${n} `));
    try {
      await Promise.all(texts.map((text, n) => writeFile(join(mountPoint, `file-${n}`), text)));
    } finally {
      await execa('umount', [mountPoint]);
    }
    await execa('xfs_repair', ['-n', path]);
    await volume.frontend.stop(volumeName, signal);
    // Read by a new front end, so that nothing comes from a cache.
    volume.request.run = 'g1-again';
    const again = await volume.attach();
    await execa('mount', ['-o', 'ro,norecovery', again.path, mountPoint]);
    try {
      for (const [n, text] of texts.entries())
        expect((await readFile(join(mountPoint, `file-${n}`))).equals(text)).toBe(true);
    } finally {
      await execa('umount', [mountPoint]);
    }
    await volume.frontend.stop(volumeName, signal);
    await volume.set.stop({ signal: clock.deadline(60_000) });
    await replicasAreEqual(volume, ['replica-0', 'replica-1']);
  });

  it('returns errors when its engine is killed, and leaves no device, mount or process after the stop', {
    timeout: testMs,
  }, async () => {
    const volume = await started({ replicas: 2 });
    const { path } = await volume.attach();
    const writing = fioVerify(volume, path, '4k', 32, 64 * MiB).then(
      () => undefined,
      (error: unknown) => error,
    );
    while (volume.acknowledged() < 500) await clock.sleep(5);
    await volume.killEngine();
    expect(await writing).toMatchObject({ stderr: expect.stringContaining('Input/output error') });
    expect(await leftovers(volume)).not.toEqual([]);
    await volume.frontend.stop(volumeName, signal);
    expect(await leftovers(volume)).toEqual([]);
    expect(await volume.frontend.look(volumeName, signal)).toEqual({ kind: 'none' });
  });

  it('is found by another program, which removes it after a detach that could not finish', {
    timeout: testMs,
  }, async () => {
    const volume = await started({ replicas: 2 });
    const device = await volume.attach();
    const other = await frontendOf(volume.tools, volume.directory, volume.host);
    expect(await other.look(volumeName, signal)).toEqual({ kind: 'attached', device });
    expect(await other.start(volume.request, signal)).toEqual(device);
    expect(device).toMatchObject({ sizeBytes: volumeBytes, sizeBytesMax: volumeBytes + reserveBytes });
    const holder = execa('sh', ['-c', 'exec sleep 600 < "$0"', device.path], { reject: false });
    while ((await readFile(`/proc/${holder.pid}/comm`, 'utf8')) !== 'sleep\n') await clock.sleep(5);
    try {
      await expect(other.stop(volumeName, clock.deadline(1_500))).rejects.toThrow();
      expect(await volume.frontend.look(volumeName, signal)).toMatchObject({
        kind: 'partial',
        reason: `${device.path} was detached and is still open`,
      });
      await expect(other.start({ ...volume.request, run: 'g2' }, signal)).rejects.toThrow('still there');
    } finally {
      holder.kill('SIGKILL');
      await holder;
    }
    await other.stop(volumeName, signal);
    expect(await leftovers(volume)).toEqual([]);
  });

  it('grows below a mounted XFS without a detach, and reports beyond the reserve that a detach is needed', {
    timeout: testMs,
  }, async () => {
    const volume = await started({ replicas: 2 });
    const { path, sizeBytesMax } = await volume.attach();
    const mountPoint = join(volume.directory, 'data');
    await mkdir(mountPoint);
    await execa('mkfs.xfs', ['-q', '-f', path]);
    await execa('mount', [path, mountPoint]);
    try {
      await writeFile(join(mountPoint, 'before'), Buffer.alloc(MiB, 1));
      await growEngine(volume, sizeBytesMax);
      expect(await volume.frontend.grow(volumeName, sizeBytesMax, signal)).toMatchObject({ sizeBytes: sizeBytesMax });
      expect(Number((await execa('blockdev', ['--getsize64', path])).stdout)).toBe(sizeBytesMax);
      await execa('xfs_growfs', ['-d', mountPoint]);
      const { blocks, bsize } = await statfs(mountPoint);
      expect(blocks * bsize).toBeGreaterThan(volumeBytes);
      await expect(volume.frontend.grow(volumeName, sizeBytesMax + MiB, signal)).rejects.toThrow(
        'while it is attached',
      );
      await writeFile(join(mountPoint, 'after'), Buffer.alloc(8 * MiB, 2));
    } finally {
      await execa('umount', [mountPoint]);
    }
    await execa('xfs_repair', ['-n', path]);
    await volume.frontend.stop(volumeName, signal);
    await volume.set.stop({ signal: clock.deadline(60_000) });
    await replicasAreEqual(volume, ['replica-0', 'replica-1']);
  });
});
