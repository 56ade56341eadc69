import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { execa } from 'execa';
import { type AptSources, readAptSources, writeAptSources } from './apt-sources.ts';
import { backportsHook } from './backports.ts';

/** What is in a root file system beside Debian's essential packages, and what is done to it. */
export interface RootContents {
  packages: readonly string[];
  /** Those of them, and of what they need, that come from the release's backports where the mirror has them: names or patterns. */
  backports?: readonly string[];
  /** Shell lines before these packages are installed; "$1" is the root. */
  prepare?: readonly string[];
  /** Shell lines after it. */
  customize: readonly string[];
}

/**
 * What the programs call or load: mount and format tools for the CSI driver, attributes, ACLs and capabilities for the
 * data mover, allocation maps of block volumes for it, certificates for the engines, restic as the second of them, and the C++ library for Node.
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

/** Only what programs need at run time; licences stay, as Debian's policy for derived images asks. */
const excludedPaths = ['/usr/share/man/*', '/usr/share/locale/*', '/usr/share/info/*'];

/** Of partclone we call what reads ext, XFS and btrfs; it brings a library of NTFS for others. */
const partcloneLess =
  'find "$1"/usr/sbin -name "partclone.*" ! -name "*.ext4" ! -name "*.extfs" ! -name "*.xfs" ! -name "*.btrfs" -delete;' +
  ' rm -f "$1"/usr/lib/x86_64-linux-gnu/libntfs-3g.so*';

/** xfsprogs brings Python, Perl and ICU for xfs_scrub alone, which nobody calls in a container: 90 of 195 MB. */
export const withoutScripts: readonly string[] = [
  'rm -rf "$1"/usr/lib/python3* "$1"/usr/share/python3 "$1"/usr/bin/python3* "$1"/usr/bin/py3* "$1"/usr/bin/pydoc*',
  'rm -rf "$1"/usr/share/perl "$1"/usr/share/perl5 "$1"/usr/lib/x86_64-linux-gnu/perl "$1"/usr/lib/x86_64-linux-gnu/libperl.so*',
  partcloneLess,
];
const withoutIcu = 'rm -rf "$1"/usr/lib/x86_64-linux-gnu/libicu* "$1"/usr/sbin/xfs_scrub*';

/** The unprivileged user is the controller's, see deploy/base/controller. */
export const lateenUser: readonly string[] = [
  'echo "lateen:x:65532:65532::/scratch:/usr/sbin/nologin" >> "$1"/etc/passwd',
  'echo "lateen:x:65532:" >> "$1"/etc/group',
];

/** The root of Lateen's own image. */
export const lateenRoot: RootContents = {
  packages: lateenPackages,
  customize: [...withoutScripts, withoutIcu, ...lateenUser],
};

/** Everything that decides what is in the root file system, for the cache key. */
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

/** A quarter of an hour: a slow mirror may take minutes, a dead one forever. */
const buildMsMax = 15 * 60_000;

/**
 * Writes a root file system as a tar, from the machine's own package sources, without network access but to those.
 * Needs root or user namespaces. Leaves nothing behind when it fails or is aborted.
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

/** Enough to see what apt said last. */
const linesShownMax = 12;

function rootError(error: unknown): AppError {
  const { code, stderr } = error as { code?: string; stderr?: string };
  if (code === 'ENOENT')
    return new AppError('IMAGE_ROOT_FAILED', 'mmdebstrap is not installed', {
      nextStep: 'Install it with: apt-get install mmdebstrap',
    });
  const last = (stderr ?? '').trim().split('\n').slice(-linesShownMax).join('\n');
  // No cause: execa's message is the whole output once more.
  return new AppError('IMAGE_ROOT_FAILED', `mmdebstrap could not build the image's root file system:\n${last}`, {
    retry: 'later',
    nextStep: 'Check that apt-get update works on this machine, and that there is room in the temporary directory.',
  });
}
