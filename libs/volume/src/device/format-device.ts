import { damaged, mkfsCommand, probe } from '../host/file-systems.ts';
import type { Host } from '../host/host.ts';
import { volumeLimits } from '../limits.ts';
import type { FileSystemType } from '../store/records.ts';
import { volumeError } from '../volume-error.ts';
import type { BlockDevice } from './device-usage.ts';

const optionPattern = /^[A-Za-z0-9^-][A-Za-z0-9_=.,:^+-]*$/;
const optionsMax = 32;

/** The StorageClass parameter mkfsParams, word by word. No word can be a path. @throws AppError `INVALID_ARGUMENT` */
export function readMkfsParams(text: string | undefined): readonly string[] {
  const words = (text ?? '').split(/\s+/).filter((word) => word !== '');
  const wrong = words.find((word) => !optionPattern.test(word));
  if (words.length <= optionsMax && wrong === undefined) return words;
  const what = wrong === undefined ? `more than ${optionsMax} words` : JSON.stringify(wrong);
  throw volumeError('INVALID_ARGUMENT', `mkfsParams has ${what}`, { nextStep: 'Correct it in the StorageClass.' });
}

/**
 * The file system that a device holds; made when it is blank. Nothing is remembered of it on this node: the next one may be another. A mkfs
 * that was killed has left an ext4 without a superblock, which is blank, or an xfs that says it is not finished, which no node mounts.
 * @throws AppError `INVALID_ARGUMENT` when something else is on it, `UNAVAILABLE` when it cannot be read: it is never formatted then
 */
export async function formatDevice(
  host: Host,
  device: BlockDevice,
  wanted: { fileSystem?: FileSystemType | undefined; mkfsParams: readonly string[] },
  signal: AbortSignal,
): Promise<{ type: FileSystemType; isNew: boolean }> {
  const content = await probe(host, device.path, signal);
  if (content.kind === 'blank') {
    const type = wanted.fileSystem ?? 'ext4';
    await make(host, device, type, wanted.mkfsParams, signal);
    return { type, isNew: true };
  }
  if (content.kind === 'damaged') throw damaged('the volume', content.type);
  const found = content.kind === 'other' ? 'something that is not a file system' : content.type;
  if (found !== 'ext4' && found !== 'xfs') {
    throw volumeError('INVALID_ARGUMENT', `the volume holds ${found}, so it cannot be mounted as ext4 or xfs`, {
      nextStep: 'Use it as a block volume.',
    });
  }
  if (wanted.fileSystem !== undefined && wanted.fileSystem !== found) {
    throw volumeError('INVALID_ARGUMENT', `the volume holds ${found}, but ${wanted.fileSystem} was asked for`, {
      nextStep: `Use a StorageClass with csi.storage.k8s.io/fstype ${found}.`,
    });
  }
  return { type: found, isNew: false };
}

async function make(
  host: Host,
  { path, sizeBytes }: BlockDevice,
  type: FileSystemType,
  mkfsParams: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (type === 'xfs' && sizeBytes < volumeLimits.xfsBytesMin) {
    throw volumeError('INVALID_ARGUMENT', `the volume has ${sizeBytes} bytes, xfs needs ${volumeLimits.xfsBytesMin}`, {
      nextStep: 'Use ext4, or a larger volume.',
    });
  }
  const [command, args] = mkfsCommand(type, path, { isFresh: false, options: mkfsParams });
  await host.run(command, args, { signal, timeoutMs: volumeLimits.formatCommandMs });
}
