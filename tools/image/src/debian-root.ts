import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { execa } from 'execa';
import { type AptSources, readAptSources, writeAptSources } from './apt-sources.ts';
import { backportsHook } from './backports.ts';

/** The content of a root file system in addition to Debian's essential packages, and its changes. */
export interface RootContents {
  packages: readonly string[];
  /** Packages of these, and of their dependencies, that come from the release's backports when the mirror has them: names or patterns. */
  backports?: readonly string[];
  /** Shell lines that run before these packages are installed; "$1" is the root. */
  prepare?: readonly string[];
  /** Shell lines that run afterwards. */
  customize: readonly string[];
}

/**
 * What the programs run or load: mount and format tools for the CSI driver; tools for attributes, ACLs and capabilities, and for allocation
 * maps of block volumes, for the data mover; certificates for the engines; restic, the second engine; and the C++ library for Node.
 */
export const lateenPackages: readonly string[] = [
  'acl',
  'attr',
  'ca-certificates',
  'e2fsprogs',
  'libcap2-bin',
  'libstdc++6',
  'mount',
  'partclone',
  'restic',
  'util-linux',
  'xfsprogs',
];

/** Keeps only what programs need at run time; license texts stay, as Debian's policy for derived images asks. */
const excludedPaths = ['/usr/share/man/*', '/usr/share/locale/*', '/usr/share/info/*'];

/** Of partclone only the programs for ext, XFS and btrfs are used; the others need a library for NTFS. */
const partcloneLess =
  'find "$1"/usr/sbin -name "partclone.*" ! -name "*.ext4" ! -name "*.extfs" ! -name "*.xfs" ! -name "*.btrfs" -delete;' +
  ' rm -f "$1"/usr/lib/x86_64-linux-gnu/libntfs-3g.so*';

/** xfsprogs needs Python, Perl and ICU only for xfs_scrub, which is not used in a container: 90 of 195 MB. */
export const withoutScripts: readonly string[] = [
  'rm -rf "$1"/usr/lib/python3* "$1"/usr/share/python3 "$1"/usr/bin/python3* "$1"/usr/bin/py3* "$1"/usr/bin/pydoc*',
  'rm -rf "$1"/usr/share/perl "$1"/usr/share/perl5 "$1"/usr/lib/x86_64-linux-gnu/perl "$1"/usr/lib/x86_64-linux-gnu/libperl.so*',
  partcloneLess,
];
const withoutIcu = 'rm -rf "$1"/usr/lib/x86_64-linux-gnu/libicu* "$1"/usr/sbin/xfs_scrub*';

/** The unprivileged user of the controller, see deploy/base/controller. */
export const lateenUser: readonly string[] = [
  'echo "lateen:x:65532:65532::/scratch:/usr/sbin/nologin" >> "$1"/etc/passwd',
  'echo "lateen:x:65532:" >> "$1"/etc/group',
];

/** The root of Lateen's own image. */
export const lateenRoot: RootContents = {
  packages: lateenPackages,
  customize: [...withoutScripts, withoutIcu, ...lateenUser],
};

/** Everything that determines the root file system, for the cache key. */
export const rootRecipe = (
  codename: string,
  { packages, backports = [], prepare = [], customize }: RootContents,
): string[] => [codename, ...packages, ...backports, ...excludedPaths, ...prepare, ...customize];

/** This machine's Debian release, `bookworm`. @throws IMAGE_NOT_DEBIAN */
export async function debianCodename(osRelease = '/etc/os-release'): Promise<string> {
  const text = await readFile(osRelease, 'utf8').catch(() => '');
  const codename = /^VERSION_CODENAME=(\S+)$/m.exec(text)?.[1];
  if (/^ID=debian$/m.test(text) && codename !== undefined) return codename;
  throw new AppError('IMAGE_NOT_DEBIAN', 'the image can only be built on Debian, whose packages it is made of', {
    nextStep: 'Elsewhere use deploy/images/Containerfile with docker, podman or buildah.',
  });
}

/** A quarter of an hour: a slow mirror may take minutes, and a dead one never answers. */
const buildMsMax = 15 * 60_000;

/**
 * Writes a root file system as a tar, from the machine's own package sources, with network access only to those. Needs root or user
 * namespaces. Leaves nothing behind when it fails or is aborted.
 * @throws IMAGE_ROOT_FAILED with the last lines of mmdebstrap
 */
export async function makeDebianRoot(
  output: string,
  codename: string,
  contents: RootContents,
  signal?: AbortSignal,
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'lateen-apt-'));
  try {
    const sources = await readAptSources(codename);
    const mirrors = await writeAptSources(dir, sources);
    await execa('mmdebstrap', [...argumentsFor(contents, sources, codename), codename, output, ...mirrors], {
      env: { SOURCE_DATE_EPOCH: '0' },
      timeout: buildMsMax,
      ...(signal === undefined ? {} : { cancelSignal: signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw rootError(error);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function argumentsFor(
  { packages, backports = [], prepare = [], customize }: RootContents,
  sources: AptSources,
  codename: string,
): string[] {
  return [
    '--variant=essential',
    '--format=tar',
    `--include=${packages.join(',')}`,
    ...excludedPaths.map((path) => `--dpkgopt=path-exclude=${path}`),
    ...(backports.length === 0 ? [] : [`--setup-hook=${backportsHook(sources, backports, codename)}`]),
    ...prepare.map((command) => `--essential-hook=${command}`),
    ...customize.map((command) => `--customize-hook=${command}`),
  ];
}

/** Enough to contain apt's last messages. */
const linesShownMax = 12;

function rootError(error: unknown): AppError {
  const { code, stderr } = error as { code?: string; stderr?: string };
  if (code === 'ENOENT')
    return new AppError('IMAGE_ROOT_FAILED', 'mmdebstrap is not installed', {
      nextStep: 'Install it with: apt-get install mmdebstrap',
    });
  const last = (stderr ?? '').trim().split('\n').slice(-linesShownMax).join('\n');
  // No cause: execa's message contains the whole output again.
  return new AppError('IMAGE_ROOT_FAILED', `mmdebstrap could not build the image's root file system:\n${last}`, {
    retry: 'later',
    nextStep: 'Check that apt-get update works on this machine, and that there is room in the temporary directory.',
  });
}
