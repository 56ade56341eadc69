import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '@lateen/csi-rig';

export interface BenchDevice {
  /** Path of the loop device. */
  path: string;
  /** Path of its file. */
  file: string;
}

export interface BenchDevices extends AsyncDisposable {
  directory: string;
  /** Sparse, like a new thin volume. */
  fresh(bytes: number): Promise<BenchDevice>;
  /** Removes one before the end. */
  release(device: BenchDevice): Promise<void>;
}

/** Loop devices on files of a separate directory, which are removed at the end. Needs root. */
export async function benchDevices(): Promise<BenchDevices> {
  const directory = await mkdtemp(join(tmpdir(), 'lateen-bench-block-'));
  const made = new Set<BenchDevice>();
  let count = 0;
  const release = async (device: BenchDevice) => {
    await command('losetup', '--detach', device.path);
    made.delete(device);
    await rm(device.file);
  };
  return {
    directory,
    fresh: async (bytes) => {
      const file = join(directory, `disk-${++count}`);
      await command('truncate', '--size', `${bytes}`, file);
      const path = (await command('losetup', '--find', '--show', file)).trim();
      const device = { path, file };
      made.add(device);
      return device;
    },
    release,
    [Symbol.asyncDispose]: async () => {
      for (const device of made) await release(device);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** ext4 with `usedBytes` of random files; free space has old data, as on a used volume. */
export async function fillDevice(device: BenchDevice, directory: string, usedBytes: number): Promise<void> {
  const script = `
    openssl enc -aes-128-ctr -K 01 -iv 00 </dev/zero 2>/dev/null | dd of="$1" bs=1M iflag=fullblock status=none 2>/dev/null || true
    mkdir -p "$2/tree"; for i in 1 2 3 4 5 6 7 8 9 10; do head -c $(( $3 / 10 )) /dev/urandom > "$2/tree/$i"; done
    mkfs.ext4 -q -F -E nodiscard -d "$2/tree" "$1"; sync "$1"; rm -r "$2/tree"`;
  await command('sh', '-euc', script, 'sh', device.path, directory, `${usedBytes}`);
}
