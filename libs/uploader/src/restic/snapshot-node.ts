import { AppError } from '@lateen/errors';

/** One entry of a snapshot. */
export interface SnapshotNode {
  /** From the root of the volume, with a slash in front. */
  path: string;
  /** `file`, `dir`, `symlink`, `fifo`, `dev`, `chardev`, `socket`. */
  type: string;
  sizeBytes: number;
}

/** One line of `restic ls --json`; undefined for the first, which describes the snapshot. @throws UPLOADER_BAD_ANSWER */
export function parseNode(line: string): SnapshotNode | undefined {
  const { struct_type: kind, path, type, size } = parse(line);
  if (kind === 'snapshot') return undefined;
  if (typeof path !== 'string' || !path.startsWith('/') || typeof type !== 'string') throw badAnswer();
  return { path, type, sizeBytes: typeof size === 'number' ? size : 0 };
}

function parse(line: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>;
  } catch {
    throw badAnswer();
  }
  throw badAnswer();
}

const badAnswer = (): AppError =>
  new AppError('UPLOADER_BAD_ANSWER', 'restic did not answer with the content of the snapshot', { retry: 'later' });
