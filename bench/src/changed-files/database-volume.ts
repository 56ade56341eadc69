import { execFile } from 'node:child_process';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { seededRandom } from '@lateen/testing';

const MiB = 1024 * 1024;
export const pageBytes = 8 * 1024;
const execute = promisify(execFile);
const run = async (program: string, ...args: string[]) => (await execute(program, args)).stdout;

/** A volume of 3 GiB with XFS and one database file, on a loop device. Needs root. */
export async function databaseVolume(directory: string, fileBytes: number) {
  const [image, earlier, mounted] = ['volume.img', 'earlier.img', 'mounted'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  const deviceBytes = fileBytes + 1024 * MiB;
  await mkdir(mounted);
  await run('truncate', '-s', String(deviceBytes), image);
  await run('mkfs.xfs', '-q', image);
  const mount = () => run('mount', '-o', 'loop', image, mounted);
  const file = join(mounted, 'database');
  await mount();
  await fill(file, fileBytes);
  return {
    deviceBytes,
    mounted,
    /** Overwrites one page in a hundred, in runs of consecutive pages of this length; then mounts the volume again. */
    change: async (runPages: number, seed: number): Promise<string> => {
      await run('umount', mounted);
      await run('cp', '--sparse=always', image, earlier);
      await mount();
      await overwrite(file, { fileBytes, runPages, seed });
      await run('umount', mounted);
      const changed = join(directory, 'changed');
      await writeDifferences(earlier, image, changed);
      await mount();
      return changed;
    },
    /** A snapshot that was just attached is not cached. */
    forget: async (): Promise<void> => {
      await run('umount', mounted);
      await run('dd', `of=${image}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0', 'status=none');
      await mount();
    },
    close: () => run('umount', mounted),
  };
}

async function fill(path: string, bytes: number): Promise<void> {
  await run(
    'bash',
    '-c',
    'openssl enc -aes-128-ctr -K 01 -iv 00 < /dev/zero 2>/dev/null | head -c "$1" > "$2"; sync -f "$2"',
    'fill',
    String(bytes),
    path,
  );
}

async function overwrite(
  path: string,
  { fileBytes, runPages, seed }: { fileBytes: number; runPages: number; seed: number },
): Promise<void> {
  const random = seededRandom(seed);
  const pages = fileBytes / pageBytes;
  await using file = await open(path, 'r+');
  const data = Buffer.alloc(pageBytes * runPages);
  for (let done = 0; done < pages / 100; done += runPages) {
    for (let at = 0; at < data.length; at += pageBytes) data.writeDoubleLE(random.next(), at);
    const first = Math.floor((random.next() * pages) / runPages) * runPages;
    await file.write(data, 0, data.length, first * pageBytes);
  }
  await file.sync();
}

/** One `offset length` per line, in blocks of 4 KiB. */
async function writeDifferences(one: string, other: string, to: string): Promise<void> {
  await using a = await open(one);
  await using b = await open(other);
  await using out = await open(to, 'w');
  const [left, right] = [Buffer.alloc(4 * MiB), Buffer.alloc(4 * MiB)];
  const read = (file: FileHandle, into: Buffer, at: number) => file.read(into, 0, into.length, at);
  for (let at = 0, more = true; more; at += left.length) {
    const [{ bytesRead }] = await Promise.all([read(a, left, at), read(b, right, at)]);
    more = bytesRead > 0;
    for (let inner = 0; inner < bytesRead && !left.equals(right); inner += 4096)
      if (left.compare(right, inner, inner + 4096, inner, inner + 4096) !== 0) await out.write(`${at + inner} 4096\n`);
  }
}
