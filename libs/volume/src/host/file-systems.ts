import { isAppError } from '@lateen/errors';
import { volumeLimits } from '../limits.ts';
import type { FileSystemType } from '../store/records.ts';
import { volumeError } from '../volume-error.ts';
import { type Host, runQuick } from './host.ts';

/** What is on a device. `other` is anything with a signature that is not a file system, such as a partition table. */
export type Content = { kind: 'blank' } | { kind: 'fileSystem'; type: string } | { kind: 'other' };

/** blkid: nothing recognised. */
const blankExitCode = 2;
/** e2fsck: 0 clean, 1 errors corrected. */
const checkedExitCodes = [0, 1];

/** Probes a device itself, not blkid's cache. */
export async function probe(host: Host, device: string, signal: AbortSignal): Promise<Content> {
  const args = ['--probe', '--match-tag', 'TYPE', '--output', 'value', device];
  const { stdout, exitCode } = await runQuick(host, signal, 'blkid', args, [0, blankExitCode]);
  const type = stdout.trim();
  if (type !== '') return { kind: 'fileSystem', type };
  return exitCode === blankExitCode ? { kind: 'blank' } : { kind: 'other' };
}

/**
 * mkfs arguments. Of a fresh device, which reads as zeros, nothing is written that need not be: ext4 does not initialise its
 * tables later in the background either (`assume_storage_prezeroed`), and no discard walks over an empty file. `options` come last, so
 * that they win.
 */
export function mkfsCommand(
  type: FileSystemType,
  device: string,
  { isFresh = true, options = [] }: { isFresh?: boolean; options?: readonly string[] } = {},
): [string, string[]] {
  if (type === 'xfs') return ['mkfs.xfs', ['-f', '-q', '-K', ...options, device]];
  const extended = isFresh ? 'assume_storage_prezeroed=1,nodiscard' : 'nodiscard';
  return ['mkfs.ext4', ['-F', '-q', '-m', '0', '-E', extended, ...options, device]];
}

/** Makes a file system. Give only a device that is blank or was left half-made by an earlier call. */
export async function makeFileSystem(
  host: Host,
  type: FileSystemType,
  device: string,
  signal: AbortSignal,
): Promise<void> {
  // Half a file system is not zeros; a fresh sparse file has nothing to discard, so this costs nothing.
  await runQuick(host, signal, 'blkdiscard', ['--force', device]);
  const [command, args] = mkfsCommand(type, device);
  await host.run(command, args, { signal, timeoutMs: volumeLimits.formatCommandMs });
}

/** Grows an ext4 that is not mounted to the size of its device. */
export async function growExt4Offline(host: Host, device: string, signal: AbortSignal): Promise<void> {
  const options = { signal, timeoutMs: volumeLimits.formatCommandMs };
  await host.run('e2fsck', ['-f', '-p', device], { ...options, okExitCodes: checkedExitCodes });
  await host.run('resize2fs', [device], options);
}

/** Grows a mounted XFS to the size of its device. */
export async function growXfs(host: Host, mountPoint: string, signal: AbortSignal): Promise<void> {
  await host.run('xfs_growfs', ['-d', mountPoint], { signal, timeoutMs: volumeLimits.formatCommandMs });
}

/**
 * Grows a mounted ext4.
 * @throws AppError `FAILED_PRECONDITION` with the next step where the kernel refuses (no CAP_SYS_RESOURCE): kubelet then takes the volume as
 * in use and asks again after the next mount.
 */
export async function growExt4Online(
  host: Host,
  device: string,
  signal: AbortSignal,
  nextStep = 'The volume grows when it is next mounted: restart the pods that use it.',
): Promise<void> {
  try {
    await host.run('resize2fs', [device], { signal, timeoutMs: volumeLimits.formatCommandMs });
  } catch (error) {
    if (!isAppError(error, 'COMMAND_FAILED') || !isRefusal(String(error.details.stderr))) throw error;
    throw volumeError('FAILED_PRECONDITION', 'this node may not grow a mounted ext4 (it lacks CAP_SYS_RESOURCE)', {
      retry: 'later',
      cause: error,
      nextStep,
    });
  }
}

/** resize2fs knows one exit code for every failure, so its text has to tell. LC_ALL=C is set for all commands. */
const isRefusal = (stderr: string) => /permission denied|operation not permitted/i.test(stderr);
