import { outputLines } from '@lateen/child-process';
import { AppError, isAppError } from '@lateen/errors';
import { mustList } from './engine-step.ts';
import { Problems, problemsMax } from './problems.ts';
import type { CheckOptions, OperationOptions, RepositoryCheck } from './repository-operation.ts';
import type { RepositorySession } from './repository-session.ts';

/**
 * First checks each stored piece: its blob exists, is long enough and can be read. Then each snapshot: everything that it refers
 * to exists.
 */
export async function checkKopia(session: RepositorySession, options: CheckOptions): Promise<RepositoryCheck> {
  const problems = new Problems();
  const contents = (await readContents(options, problems)) ?? (await verifyContents(session, options, problems));
  const snapshots = await countSnapshots(session, options);
  await verifySnapshots(session, { ...options, ids: [], filesPercent: 0 }, problems);
  return {
    engine: 'kopia',
    readDataPercent: options.readDataPercent,
    problems: problems.listed.map((each) => session.redact(each)),
    problemCount: problems.count,
    ...(contents === undefined ? {} : { contents }),
    snapshots,
  };
}

const contentProblem = /content \S+ (?:depends on missing blob|out of bounds of its pack blob|is invalid:).*/;
const contentProgress = /Verified (\d+) of (\d+) contents/;
const contentCounters = /"verifiedContents":\s*(\d+)/;

/** Reads the stored data as whole packs; undefined when nothing is to be read, or only the engine can do it. */
async function readContents(
  { readDataPercent: percent, readStoredData, onProgress, signal }: CheckOptions,
  problems: Problems,
): Promise<number | undefined> {
  if (percent === 0 || readStoredData === undefined) return undefined;
  try {
    return await readStoredData({ percent, onProgress, onProblem: (text) => problems.add(text), signal });
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error, 'REPOSITORY_FORMAT_UNSUPPORTED')) return undefined;
    throw error;
  }
}

/** The number of contents, as far as kopia reports it. */
async function verifyContents(
  session: RepositorySession,
  options: CheckOptions,
  problems: Problems,
): Promise<number | undefined> {
  const { readDataPercent, onProgress, signal } = options;
  const before = problems.count;
  let contents: number | undefined;
  const doing = readDataPercent > 0 ? 'reading stored data' : 'looking for stored data';
  const lines = outputLines((line) => {
    const problem = contentProblem.exec(line)?.[0];
    if (problem !== undefined) problems.add(problem);
    const [, done, total] = contentProgress.exec(line) ?? [];
    if (done !== undefined) onProgress?.({ doing, done: Number(done), total: Number(total), unit: 'items' });
    const counted = contentCounters.exec(line)?.[1];
    if (counted !== undefined) contents = Number(counted);
  });
  const args = ['content', 'verify', '--progress-interval=1s', `--download-percent=${readDataPercent}`];
  const exit = await session.run(args, { signal, onStderr: lines.push });
  signal.throwIfAborted();
  lines.end();
  if (exit.exitCode !== 0 && problems.count === before) throw session.failure(exit, 'checking the stored data');
  return contents;
}

/** Counted while they arrive: the length of the list grows with the snapshots, and output that is kept is bounded. */
async function countSnapshots(session: RepositorySession, { signal }: OperationOptions): Promise<number> {
  let count = 0;
  await mustList(session, 'counting the snapshots', ['manifest', 'list', '--filter=type:snapshot', '--json'], {
    depth: 2,
    onObject: () => {
      count += 1;
    },
    signal,
  });
  return count;
}

interface VerifyAnswer {
  errorCount: number;
  errorStrings: string[];
}

/**
 * Follows snapshots down to their data; with `filesPercent`, reads this share of the files, too.
 * @param options `ids` of the snapshots; empty: all
 */
export async function verifySnapshots(
  session: RepositorySession,
  { ids, filesPercent, onProgress, signal }: OperationOptions & { ids: readonly string[]; filesPercent: number },
  problems: Problems,
): Promise<void> {
  const doing = filesPercent > 0 ? 'reading stored data' : 'following snapshots';
  const lines = outputLines((line) => {
    const [, done, total] = /"processedObjectCount":(\d+).*"expectedTotalObjectCount":(\d+)/.exec(line) ?? [];
    if (done !== undefined) onProgress?.({ doing, done: Number(done), total: Number(total), unit: 'items' });
  });
  const flags = ['--json', `--max-errors=${problemsMax}`, `--verify-files-percent=${filesPercent}`];
  const args = ['snapshot', 'verify', ...flags, ...ids];
  const exit = await session.run(args, { signal, onStderr: lines.push });
  signal.throwIfAborted();
  const answer = answerOf(exit.stdout);
  if (answer === undefined || (exit.exitCode !== 0 && answer.errorCount === 0)) {
    if (exit.exitCode !== 0) throw session.failure(exit, 'following the snapshots');
    throw new AppError('ENGINE_BAD_ANSWER', 'kopia snapshot verify answered something that is not its JSON');
  }
  for (const text of answer.errorStrings) problems.add(text);
  problems.more(answer.errorCount - answer.errorStrings.length);
}

function answerOf(stdout: string): VerifyAnswer | undefined {
  try {
    const parsed: unknown = JSON.parse(stdout);
    if (typeof parsed !== 'object' || parsed === null || !('errorCount' in parsed)) return undefined;
    const { errorCount, errorStrings } = parsed as { errorCount: unknown; errorStrings?: unknown };
    return {
      errorCount: Number(errorCount),
      errorStrings: Array.isArray(errorStrings) ? errorStrings.map(String) : [],
    };
  } catch {
    return undefined;
  }
}
