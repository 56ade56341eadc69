import { AppError } from '@lateen/errors';

/** What we read of a snapshot in `restic snapshots --json`. */
export interface ResticSnapshot {
  /** 64 hex digits; what a DataUpload carries as snapshotID. */
  id: string;
  tags: readonly string[];
  timeMs: number;
}

/** The snapshots in the output of `restic snapshots --json`. @throws UPLOADER_BAD_ANSWER */
export function parseSnapshots(stdout: string): ResticSnapshot[] {
  const parsed = parse(stdout);
  // An empty list is written as null.
  if (parsed === null) return [];
  if (!Array.isArray(parsed)) throw badAnswer();
  return parsed.map(snapshotOf);
}

/** The newest snapshot that has all of `tags`: the parent of the next snapshot of a volume. */
export function newestWith(snapshots: readonly ResticSnapshot[], tags: readonly string[]): ResticSnapshot | undefined {
  return snapshots
    .filter((snapshot) => tags.every((tag) => snapshot.tags.includes(tag)))
    .reduce<ResticSnapshot | undefined>(
      (newest, each) => (newest && newest.timeMs >= each.timeMs ? newest : each),
      undefined,
    );
}

function snapshotOf(raw: unknown): ResticSnapshot {
  const { id, tags, time } = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<string, unknown>;
  const timeMs = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  if (typeof id !== 'string' || id === '' || Number.isNaN(timeMs)) throw badAnswer();
  return { id, tags: Array.isArray(tags) ? tags.map(String) : [], timeMs };
}

function parse(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    throw badAnswer();
  }
}

const badAnswer = (): AppError =>
  new AppError('UPLOADER_BAD_ANSWER', 'restic did not answer with its list of snapshots', { retry: 'later' });
