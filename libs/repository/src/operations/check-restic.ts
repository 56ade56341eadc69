import { outputLines } from '@lateen/child-process';
import { plainStderr } from '../restic/restic-said.ts';
import type { ResticSession } from '../restic/restic-session.ts';
import { Problems } from './problems.ts';
import type { OperationOptions, RepositoryCheck } from './repository-operation.ts';
import { resticProgress } from './restic-progress.ts';

/** restic's last message when it found damage; any other error is a failure of the check itself. */
const foundErrors = /repository contains errors/i;

/** `restic check`: packs, index and trees; with a percentage it also reads that share of the packs, chosen at random. */
export async function checkRestic(
  session: ResticSession,
  { readDataPercent, onProgress, signal }: OperationOptions & { readDataPercent: number },
): Promise<RepositoryCheck> {
  const problems = new Problems();
  const progress = resticProgress('checking', onProgress);
  const complaints = outputLines((line) => {
    if (!progress(line) && !isRemark(line)) problems.add(line);
  });
  const outputs = outputLines(progress);
  const exit = await session.run(['check', ...readFlags(readDataPercent)], {
    signal,
    onStdout: (chunk) => outputs.push(chunk.toString('utf8')),
    onStderr: (text) => complaints.push(text),
  });
  signal.throwIfAborted();
  complaints.end();
  if (exit.exitCode !== 0 && !foundErrors.test(exit.stderr)) throw session.failure(exit, 'checking the repository');
  return {
    engine: 'restic',
    readDataPercent,
    problems: problems.listed.map((each) => session.redact(plainStderr(each))),
    problemCount: exit.exitCode === 0 ? 0 : Math.max(problems.count, 1),
    ...(exit.exitCode === 0 ? { problems: [] } : {}),
  };
}

function readFlags(percent: number): string[] {
  if (percent <= 0) return [];
  return percent >= 100 ? ['--read-data'] : [`--read-data-subset=${percent}%`];
}

/** Messages that restic prints for an intact repository too. */
const isRemark = (line: string): boolean =>
  foundErrors.test(line) ||
  /^(using temporary cache|created new cache|create exclusive lock|repository .* opened|load indexes|check all packs|check snapshots|no errors|additional files were found|you can run `restic prune`|\d+ additional files)/i.test(
    line,
  );
