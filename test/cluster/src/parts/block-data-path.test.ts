import { readdir, readFile } from 'node:fs/promises';
import { parseMountInfo } from '@lateen/kernel';
import { listLoops } from '@lateen/volume';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { type VolumeRig, volumeBytes, volumeName, volumeRig } from '../block/volume-rig.ts';

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

/** Writes at random places and reads all of it back: each block carries its own checksum. */
function fioVerify({ tools, directory }: VolumeRig, device: string, bs: string, depth: number, sizeBytes: number) {
  const job = ['--name=x', `--filename=${device}`, '--rw=randwrite', `--bs=${bs}`, `--iodepth=${depth}`];
  const io = ['--ioengine=libaio', '--direct=1', `--size=${sizeBytes}`];
  const verify = ['--verify=crc32c', '--do_verify=1', '--verify_fatal=1', '--verify_state_save=0'];
  return execa(tools.fio, [...job, ...io, ...verify], { cwd: directory });
}

/** What is left of the rig's volume in the kernel and among the processes. */
async function leftovers({ host, directory }: VolumeRig): Promise<string[]> {
  const loops = (await listLoops(host, signal)).filter(({ backingFile }) => backingFile.startsWith(directory));
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

describe.skipIf(!isRoot)('a volume with replicas', () => {
  it.each([2, 3])(
    'has on %s replicas what was written at depth 32 through the front end',
    { timeout: testMs },
    async (replicas) => {
      const volume = await started({ replicas });
      const { path, sizeBytes } = await volume.attach();
      expect(sizeBytes).toBe(volumeBytes);
      await fioVerify(volume, path, '4k', 32, 16 * MiB);
      await fioVerify(volume, path, '1M', 8, 64 * MiB);
      await volume.frontend.stop(volumeName, signal);
      expect(await leftovers(volume)).toEqual([]);
      expect(await volume.set.stop()).toEqual({ clean: true });
      await replicasAreEqual(
        volume,
        volume.replicas.map(({ name }) => name),
      );
    },
  );
});
