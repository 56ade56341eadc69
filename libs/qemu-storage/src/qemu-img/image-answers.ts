import { AppError } from '@lateen/errors';
import { isObject } from '../qmp/qmp-message.ts';

export interface ImageInfo {
  /** As its user sees it. */
  sizeBytes: bigint;
  /** What it takes on the disk. */
  actualBytes: bigint;
  clusterBytes: number;
  /** Units of less than a cluster. */
  extendedL2: boolean;
  /** As the header says it. */
  backingFile: string | undefined;
  /** The daemon has ended in the middle of a change of the file's tables, and a check must repair it. */
  dirty: boolean;
  corrupt: boolean;
}

export function imageInfo(answer: unknown): ImageInfo {
  const info = object(answer);
  const data = objectOr(objectOr(info['format-specific']).data);
  return {
    sizeBytes: bytes(info['virtual-size']),
    actualBytes: bytes(info['actual-size'] ?? 0),
    clusterBytes: Number(info['cluster-size'] ?? 0),
    extendedL2: data['extended-l2'] === true,
    backingFile: typeof info['backing-filename'] === 'string' ? info['backing-filename'] : undefined,
    dirty: info['dirty-flag'] === true,
    corrupt: data.corrupt === true,
  };
}

export interface CheckedImage {
  /** All data is intact. Leaks are unused space, not damage. */
  sound: boolean;
  corruptions: number;
  leaks: number;
  /** Parts that could not be checked. */
  checkErrors: number;
}

export function checkedImage(answer: unknown): CheckedImage {
  const found = object(answer);
  const corruptions = Number(found.corruptions ?? 0);
  const checkErrors = Number(found['check-errors'] ?? 0);
  return { sound: corruptions === 0 && checkErrors === 0, corruptions, leaks: Number(found.leaks ?? 0), checkErrors };
}

export interface AllocatedArea {
  startBytes: bigint;
  lengthBytes: bigint;
  /** In how many layers above it there is nothing: 0 is the file itself. */
  depth: number;
  /** In some layer; false: nowhere, and it reads as zeros. */
  present: boolean;
  /** Reads as zeros. */
  zero: boolean;
  /** Takes room for data. */
  data: boolean;
}

export function areasOf(answer: unknown): AllocatedArea[] {
  if (!Array.isArray(answer)) throw unreadable();
  return answer.map((item) => {
    const area = object(item);
    return {
      startBytes: bytes(area.start),
      lengthBytes: bytes(area.length),
      depth: Number(area.depth),
      present: area.present === true,
      zero: area.zero === true,
      data: area.data === true,
    };
  });
}

function object(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value;
  throw unreadable();
}

const objectOr = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

function bytes(value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  throw unreadable();
}

const unreadable = (): AppError =>
  new AppError('QEMU_IMG_FAILED', 'qemu-img gave an answer that is not in the form we know', {
    nextStep: 'Use a release that is known to work.',
  });
