import { type Content, damaged, makeFileSystem, probe } from '../host/file-systems.ts';
import type { LoopDevice } from '../host/loop-devices.ts';
import { volumeLimits } from '../limits.ts';
import type { FileSystemRecord, FileSystemType, VolumeRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';

const defaultFileSystem: FileSystemType = 'ext4';

/** A volume record that is known to hold a file system. */
export type FormattedVolume = VolumeRecord & { fileSystem: FileSystemRecord };

/**
 * The volume with a file system on it. `formatting` is recorded before mkfs and `ready` after it, so that half a file
 * system of a killed mkfs is never taken for data, and data never for half a file system.
 * @throws AppError `INVALID_ARGUMENT` when another file system is on it, `FAILED_PRECONDITION` when its content is gone.
 */
export async function ensureFileSystem(
  deps: VolumeDeps,
  record: VolumeRecord,
  loop: LoopDevice,
  wanted: FileSystemType | undefined,
  signal: AbortSignal,
): Promise<FormattedVolume> {
  const content = await probe(deps.host, loop.path, signal);
  const step = decideFormat(record, content, wanted);
  if (step.kind === 'use') {
    const formatted = { ...record, fileSystem: step.fileSystem };
    if (step.isNews) await deps.store.put(formatted);
    return formatted;
  }
  if (step.type === 'xfs' && record.capacityBytes < volumeLimits.xfsBytesMin) throw tooSmall(record);
  await deps.store.put({ ...record, fileSystem: { type: step.type, state: 'formatting', sizeBytes: 0 } });
  await makeFileSystem(deps.host, step.type, loop.path, signal);
  const fileSystem: FileSystemRecord = { type: step.type, state: 'ready', sizeBytes: record.capacityBytes };
  const formatted = { ...record, fileSystem };
  await deps.store.put(formatted);
  return formatted;
}

export type FormatStep =
  | { kind: 'use'; fileSystem: FileSystemRecord; isNews: boolean }
  | { kind: 'make'; type: FileSystemType };

/** Pure. What to do about a device, from what we remember, what is on it, and what is wanted. */
export function decideFormat(record: VolumeRecord, content: Content, wanted: FileSystemType | undefined): FormatStep {
  const known = record.fileSystem;
  const make = { kind: 'make', type: wanted ?? record.defaultFileSystem ?? defaultFileSystem } as const;
  if (known?.state === 'formatting') return make;
  if (content.kind === 'blank') {
    if (known === undefined) return make;
    throw volumeError('FAILED_PRECONDITION', `volume ${record.id} should hold ${known.type}, but its device is blank`, {
      nextStep:
        'Its data is lost, or its disk returns wrong data: restore it from a backup. It was not formatted again.',
    });
  }
  if (content.kind === 'damaged') throw damaged(`volume ${record.id}`, content.type);
  if (content.kind === 'other' || (content.type !== 'ext4' && content.type !== 'xfs')) {
    const found = content.kind === 'other' ? 'something that is not a file system' : content.type;
    throw volumeError(
      'INVALID_ARGUMENT',
      `volume ${record.id} holds ${found}, so it cannot be mounted as ext4 or xfs`,
      {
        nextStep: 'Use it as a block volume.',
      },
    );
  }
  const type: FileSystemType = content.type;
  if (wanted !== undefined && wanted !== type) {
    throw volumeError('INVALID_ARGUMENT', `volume ${record.id} holds ${type}, but ${wanted} was asked for`, {
      nextStep: `Use a StorageClass with csi.storage.k8s.io/fstype ${type}.`,
    });
  }
  if (known?.type === type) return { kind: 'use', fileSystem: known, isNews: false };
  return { kind: 'use', fileSystem: { type, state: 'ready', sizeBytes: 0 }, isNews: true };
}

function tooSmall(record: VolumeRecord): Error {
  return volumeError(
    'INVALID_ARGUMENT',
    `volume ${record.id} has ${record.capacityBytes} bytes, xfs needs at least ${volumeLimits.xfsBytesMin}`,
    { nextStep: 'Use ext4, or a larger volume.' },
  );
}
