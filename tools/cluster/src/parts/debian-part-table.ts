import { storageBackports } from '@lateen/image';

/** Programs of Debian packages that are unpacked into the cache and run from there: nothing is installed into the machine. */
export interface DebianPart {
  /** The name callers ask for; they get the folder that holds the programs. */
  name: string;
  /** Without recommended packages; the libraries that they need come along. */
  packages: readonly string[];
  /** Those that come from the release's backports where the mirror has them: names or patterns. */
  backports?: readonly string[];
  programs: readonly DebianProgram[];
}

export interface DebianProgram {
  /** File name; which of Debian's folders has it changes with the release. */
  name: string;
  /** Arguments of a run after unpacking: a library that is missing shows there and not in a test. */
  check: readonly string[];
}

const program = (name: string): DebianProgram => ({ name, check: ['--version'] });

/**
 * What replicated volumes run (qemu-storage-daemon, qemu-img, nbdfuse) and what their tests look with. qemu-storage-daemon
 * is in qemu-system-common up to Debian 12 and in qemu-utils after it: both are taken, of the same release as in the image.
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

/** The names that `ensureParts` accepts beside those of built programs. */
export const debianPartNames: readonly string[] = debianParts.map((part) => part.name);
