import type { Random } from '@lateen/kernel';
import { type FileSystem, sh } from './changed-files-rig.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const blockBytes = 4 * KiB;

/**
 * A script of random operations on the files below a directory, as databases, users and file systems do them. An operation that fails on a
 * file (such as a range beyond the end) is ignored.
 */
export function scribbles(directory: string, fileSystem: FileSystem, random: Random, count: number): string {
  const below = (limit: number) => Math.floor(random.next() * limit);
  const file = () => `${directory}/${['one', 'two', 'd/three'][below(3)]}`;
  const at = () => below(12 * MiB);
  const block = () => below(3_000) * blockBytes;
  const blocks = () => (1 + below(90)) * blockBytes;
  const bytes = () => 1 + below(below(4) === 0 ? 700 * KiB : 9 * KiB);
  const write = (name: string, offset: number, length: number, how = '') =>
    `head -c ${length} /dev/urandom | dd of=${name} bs=64K oflag=seek_bytes seek=${offset} conv=notrunc${how} iflag=fullblock status=none`;
  const operations: (() => string)[] = [
    () => write(file(), at(), bytes()),
    () => write(file(), at(), bytes()),
    () => write(file(), at(), bytes(), ',fdatasync'),
    () => write(file(), block(), blocks()),
    () => `head -c ${bytes()} /dev/urandom >> ${file()}`,
    () => `truncate -s ${below(14 * MiB)} ${file()}`,
    () => `truncate -s +${below(2 * MiB)} ${file()}`,
    () => `fallocate -o ${at()} -l ${bytes()} ${file()}`,
    () => `fallocate --punch-hole -o ${at()} -l ${bytes()} ${file()}`,
    () => `fallocate --zero-range -o ${at()} -l ${bytes()} ${file()}`,
    () => `fallocate --collapse-range -o ${block()} -l ${blocks()} ${file()}`,
    () => `fallocate --insert-range -o ${block()} -l ${blocks()} ${file()}`,
    () => `xfs_io -c "mmap -rw 0 4M" -c "mwrite -S ${below(256)} ${below(3 * MiB)} ${bytes()}" -c munmap ${file()}`,
    // Exchanges the names of two files, or replaces a file by a new one of the same name.
    () => `mv ${file()} ${directory}/moved && mv ${file()} ${file()}; mv ${directory}/moved ${file()}`,
    () => `cp --reflink=auto ${file()} ${directory}/copy && mv ${directory}/copy ${file()}`,
    () => `head -c ${4 * MiB + below(8 * MiB)} /dev/urandom > ${directory}/new && mv ${directory}/new ${file()}`,
    () => `rm ${file()}`,
    () => (fileSystem === 'xfs' ? `xfs_fsr ${file()}` : `e4defrag ${file()}`),
    () => 'sync',
  ];
  if (fileSystem === 'xfs')
    operations.push(
      () => `xfs_io -c "reflink ${file()} ${block()} ${block()} ${blocks()}" ${file()}`,
      () => `cp --reflink=always ${file()} ${directory}/copy && mv ${directory}/copy ${file()}`,
    );
  const lines = Array.from({ length: count }, () => operations[below(operations.length)]?.() ?? '');
  return lines.map((line) => `{ ${line}; } >/dev/null 2>&1 || true`).join('\n');
}

/** Files with random content, and one that is allocated before it is written, as databases do. */
export async function firstFiles(directory: string): Promise<void> {
  const script = `mkdir -p "$1/d"; for f in one two d/three; do head -c ${12 * MiB} /dev/urandom > "$1/$f"; done
fallocate -l ${16 * MiB} "$1/two"; echo small > "$1/d/small"`;
  await sh(script, directory);
}
