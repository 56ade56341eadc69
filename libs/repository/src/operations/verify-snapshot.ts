import { AppError, isAppError } from '@lateen/errors';
import { verifySnapshots } from './check-kopia.ts';
import { Problems } from './problems.ts';
import type { OperationOptions, SnapshotVerification, VerifyStoredSnapshot } from './repository-operation.ts';
import type { RepositorySession } from './repository-session.ts';

export interface VerifyOptions extends OperationOptions {
  snapshotID: string;
  /** Share of the pieces of data that are read; 0: only whether everything that the snapshot needs is there. */
  readDataPercent: number;
  /** Reads without the engine; without it, or where it does not know the format, the engine reads everything. */
  readSnapshot?: VerifyStoredSnapshot | undefined;
  /** Block device whose bytes are compared with those of the snapshot; only `readSnapshot` can do that. */
  volumePath?: string | undefined;
}

/**
 * Looks for damage in one snapshot and changes nothing: first whether everything that it refers to is in the repository, then whether
 * the data can be read and has its hash, and, with `volumePath`, whether it is that of the volume. Damage is a result, not an error.
 * @throws SNAPSHOT_VERIFY_UNSUPPORTED for restic; REPOSITORY_FORMAT_UNSUPPORTED where only the engine can read and a volume is to be compared;
 * VOLUME_NOT_COMPARABLE, BLOCK_…, REPOSITORY_…, OBJECT_STORE_…, ENGINE_…; the signal's reason on abort
 */
export async function verifySnapshot(
  session: RepositorySession,
  options: VerifyOptions,
): Promise<SnapshotVerification> {
  const { snapshotID, readDataPercent } = options;
  if (session.engine === 'restic')
    throw new AppError('SNAPSHOT_VERIFY_UNSUPPORTED', 'restic cannot check a single snapshot', {
      nextStep: 'Check the whole repository: lateen repo check NAME --read-data.',
    });
  const problems = new Problems();
  const found = { engine: session.engine, snapshotID };
  const ended = (read: Pick<SnapshotVerification, 'readDataPercent' | 'readBytes' | 'comparedBytes'>) => ({
    ...found,
    ...read,
    problems: problems.listed.map((each) => session.redact(each)),
    problemCount: problems.count,
  });
  await verifySnapshots(session, { ...options, ids: [snapshotID], filesPercent: 0 }, problems);
  if (readDataPercent === 0) return ended({ readDataPercent });
  const read = await readWithoutEngine(options, problems);
  if (read !== undefined) return ended({ readDataPercent, ...read });
  // By file: of a block volume, which is one file, it would read all or nothing.
  await verifySnapshots(session, { ...options, ids: [snapshotID], filesPercent: 100 }, problems);
  return ended({ readDataPercent: 100 });
}

/** Undefined when the engine has to read. */
async function readWithoutEngine(
  { snapshotID, readDataPercent: percent, readSnapshot, volumePath, onProgress, signal }: VerifyOptions,
  problems: Problems,
): Promise<{ readBytes: number; comparedBytes: number } | undefined> {
  const onProblem = (text: string) => problems.add(text);
  try {
    return await readSnapshot?.({ snapshotID, percent, volumePath, onProgress, onProblem, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (volumePath === undefined && isAppError(error, 'REPOSITORY_FORMAT_UNSUPPORTED')) return undefined;
    throw error;
  }
}
