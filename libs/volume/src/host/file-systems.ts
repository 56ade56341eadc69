import { type AppError, isAppError } from '@lateen/errors';
import { volumeLimits } from '../limits.ts';
import type { FileSystemType } from '../store/records.ts';
import { volumeError } from '../volume-error.ts';
import { type Host, runQuick } from './host.ts';

/**
 * What is on a device. `other` is anything with a signature that is not a file system, such as a partition table; `damaged` has the mark of
 * a file system, and blkid does not take it for one.
 */
export type Content =
  | { kind: 'blank' }
  | { kind: 'fileSystem'; type: string }
  | { kind: 'damaged'; type: FileSystemType }
  | { kind: 'other' };

/** blkid: nothing recognised. */
const blankExitCode = 2;
/** e2fsck: 0 clean, 1 errors corrected. */
const checkedExitCodes = [0, 1];

/** Holds the marks of both file systems and of nearly everything else. */
const headBytes = 1024 * 1024;
/** Where the superblock of ext4 has its number (at 1024, and 56 further on), and XFS its name. */
const marks: readonly { type: FileSystemType; at: number; bytes: Buffer }[] = [
  { type: 'ext4', at: 1080, bytes: Buffer.of(0x53, 0xef) },
  { type: 'xfs', at: 0, bytes: Buffer.from('XFSB', 'latin1') },
];

/**
 * Probes a device itself, not blkid's cache. blkid calls a device blank also when it cannot read it, so nothing is `blank` before it was
 * read here, too.
 * @throws AppError `UNAVAILABLE` when blkid finds nothing and the device cannot be read
 */
export async function probe(host: Host, device: string, signal: AbortSignal): Promise<Content> {
  const args = ['--probe', '--match-tag', 'TYPE', '--output', 'value', device];
  const { stdout, exitCode } = await runQuick(host, signal, 'blkid', args, [0, blankExitCode]);
  const type = stdout.trim();
  if (type !== '') return { kind: 'fileSystem', type };
  if (exitCode !== blankExitCode) return { kind: 'other' };
  const head = await readHead(host, device);
  const mark = marks.find(({ at, bytes }) => head.subarray(at, at + bytes.length).equals(bytes));
  return mark === undefined ? { kind: 'blank' } : { kind: 'damaged', type: mark.type };
}

async function readHead(host: Host, device: string): Promise<Buffer> {
  const head = Buffer.alloc(headBytes);
  try {
    await using file = await host.files.openForReading(device);
    await file.read(0, head);
    return head;
  } catch (cause) {
    // Only what the kernel or the end of the device has said is about the device.
    if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
    throw volumeError('UNAVAILABLE', `the device ${device} cannot be read, so it is not known what is on it`, {
      retry: 'soon',
      cause,
      nextStep: 'It was not formatted. It is looked at again; see why it cannot be read when this continues.',
    });
  }
}

/** For content that must not be formatted and cannot be mounted. `what` is the volume. */
export const damaged = (what: string, type: FileSystemType): AppError =>
  volumeError('FAILED_PRECONDITION', `${what} has the mark of ${type}, but blkid does not take it for one`, {
    retry: 'later',
    nextStep: `It was not formatted. Check it with the tools of ${type}, or restore it from a backup.`,
  });

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
