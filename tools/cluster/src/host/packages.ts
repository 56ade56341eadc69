import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isAppError } from '@lateen/errors';
import { withFileLock } from '@lateen/image';
import { cacheDir } from '../parts/cache-dir.ts';
import type { Progress } from '../progress/progress.ts';
import { during } from '../progress/progress.ts';
import { run } from './run.ts';

/** A Debian package and files that show that it, or an equivalent, is installed. */
export interface DebianPackage {
  name: string;
  /** One existing file is enough. */
  files: readonly string[];
}

const program = (name: string, file: string): DebianPackage => ({
  name,
  files: [
    `/usr/bin/${file}`,
    `/usr/sbin/${file}`,
    `/bin/${file}`,
    `/sbin/${file}`,
    `/usr/local/bin/${file}`,
    `/usr/local/sbin/${file}`,
  ],
});

export const cniPluginDirs: readonly string[] = ['/usr/lib/cni', '/opt/cni/bin'];

/** Packages of the distribution that a cluster needs. */
export const clusterPackages: readonly DebianPackage[] = [
  program('containerd', 'containerd'),
  program('runc', 'runc'),
  { name: 'containernetworking-plugins', files: cniPluginDirs.map((dir) => `${dir}/bridge`) },
  program('iptables', 'iptables'),
  program('conntrack', 'conntrack'),
  program('iproute2', 'ip'),
  program('xfsprogs', 'mkfs.xfs'),
  program('e2fsprogs', 'mkfs.ext4'),
  program('mount', 'mount'),
  program('util-linux', 'nsenter'),
  program('kmod', 'modprobe'),
  program('mmdebstrap', 'mmdebstrap'),
  program('attr', 'setfattr'),
  program('acl', 'setfacl'),
  program('restic', 'restic'),
  program('partclone', 'partclone.ext4'),
  program('btrfs-progs', 'mkfs.btrfs'),
];

const installTimeoutMs = 900_000;
const aptEnvironment = { DEBIAN_FRONTEND: 'noninteractive' };

/** Installs missing packages with apt-get. @throws PACKAGES_MISSING when there is no apt-get, no root, or it fails */
export async function ensurePackages(
  packages: readonly DebianPackage[],
  progress: Progress,
  signal?: AbortSignal,
): Promise<void> {
  if ((await missingPackages(packages)).length === 0) return;
  const lock = join(cacheDir(), 'locks', 'packages.lock');
  const onWait = (): void => progress.note('waiting for another process that installs packages');
  // Two parallel runs of apt-get fail.
  await withFileLock(lock, { onWait, signal }, () => installMissing(packages, progress, signal));
}

async function installMissing(
  packages: readonly DebianPackage[],
  progress: Progress,
  signal: AbortSignal | undefined,
): Promise<void> {
  const missing = await missingPackages(packages);
  if (missing.length === 0) return;
  await during(progress, `installing ${missing.join(', ')}`, async (step) => {
    const options = { env: aptEnvironment, timeoutMs: installTimeoutMs, signal, onLine: step.update };
    try {
      await run('apt-get', ['update', '-qq'], options);
      await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], options);
    } catch (cause) {
      signal?.throwIfAborted();
      const reason = isAppError(cause, 'COMMAND_MISSING') ? 'and there is no apt-get here' : 'and apt-get failed';
      throw new AppError('PACKAGES_MISSING', `these packages are needed: ${missing.join(', ')}, ${reason}`, {
        cause,
        nextStep: 'Install them by hand (Debian names) and run the command again.',
      });
    }
  });
}

/** Names of the packages without an existing file. */
export async function missingPackages(packages: readonly DebianPackage[]): Promise<string[]> {
  const present = await Promise.all(packages.map(async ({ files }) => (await firstThere(files)) !== undefined));
  return packages.filter((_, at) => !present[at]).map(({ name }) => name);
}

/** The folder with the CNI plugins. */
export async function cniPluginDir(): Promise<string> {
  const bridge = await firstThere(cniPluginDirs.map((dir) => `${dir}/bridge`));
  return (bridge ?? `${cniPluginDirs[0]}/bridge`).slice(0, -'/bridge'.length);
}

async function firstThere(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const there = await access(file).then(
      () => true,
      () => false,
    );
    if (there) return file;
  }
  return undefined;
}
