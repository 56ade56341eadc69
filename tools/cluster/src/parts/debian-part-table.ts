import { storageBackports } from '@lateen/image';

/** Programs of Debian packages that are unpacked into the cache and run from there: nothing is installed on the machine. */
export interface DebianPart {
  /** The name for `ensureParts`, which returns the folder with the programs. */
  name: string;
  /** Without recommended packages; necessary libraries are included. */
  packages: readonly string[];
  /** Packages that come from the release's backports when the mirror has them: names or patterns. */
  backports?: readonly string[];
  programs: readonly DebianProgram[];
}

export interface DebianProgram {
  /** File name; its folder depends on the Debian release. */
  name: string;
  /** Arguments of a run after unpacking, so that a missing library is noticed there and not in a test. */
  check: readonly string[];
}

const program = (name: string): DebianProgram => ({ name, check: ['--version'] });

/**
 * Programs of replicated volumes (qemu-storage-daemon, qemu-img, nbdfuse), and tools of their tests. qemu-storage-daemon is in
 * qemu-system-common up to Debian 12 and in qemu-utils later: both are included, of the same release as in the image.
 */
export const debianParts = [
  {
    name: 'block-tools',
    packages: ['qemu-system-common', 'qemu-utils', 'libnbd-bin', 'fuse3', 'fio'],
    backports: storageBackports,
    programs: [
      ...['qemu-storage-daemon', 'qemu-img', 'qemu-io', 'qemu-nbd'].map(program),
      ...['nbdfuse', 'nbdcopy', 'nbdinfo', 'fusermount3', 'fio'].map(program),
    ],
  },
] as const satisfies readonly DebianPart[];

/** The names that `ensureParts` accepts in addition to those of built programs. */
export const debianPartNames: readonly string[] = debianParts.map((part) => part.name);
