import { byteSize, plainLine } from '@lateen/errors';
import { age } from '@lateen/kernel';
import type { OperationResults } from '@lateen/maintenance';

/** The findings of a check as text; lines. */
export function checkLines(repository: string, check: OperationResults['check'], durationMs: number): string[] {
  const { readDataPercent, problemCount } = check;
  const counted = [
    check.snapshots === undefined ? '' : `${check.snapshots.toLocaleString('en')} snapshots`,
    check.contents === undefined ? '' : `${check.contents.toLocaleString('en')} pieces of data`,
    readDataPercent === 0 ? 'structure only' : `${readDataPercent} % of the data read`,
  ].filter((part) => part !== '');
  const found = problemCount === 0 ? 'no damage found' : `DAMAGED, ${problemCount} problems`;
  return [`${repository}: ${found} (${counted.join(', ')}; ${age(durationMs)})`, ...problemLines(check)];
}

/** Each problem of a check or verification, and how many are not listed. */
export function problemLines({ problems, problemCount }: { problems: readonly string[]; problemCount: number }) {
  const hidden = problemCount - problems.length;
  return [...problems.map((problem) => `  ${plainLine(problem)}`), ...(hidden > 0 ? [`  … and ${hidden} more`] : [])];
}

export function maintainLine(repository: string, done: OperationResults['maintain'], durationMs: number): string {
  const { mode, bytesBefore, bytesAfter } = done;
  if (mode === undefined) return `${repository}: no maintenance was due`;
  const sizes =
    bytesBefore === undefined || bytesAfter === undefined
      ? ''
      : `, ${byteSize(bytesBefore)} stored before, ${byteSize(bytesAfter)} now`;
  return `${repository}: ${mode} maintenance done in ${age(durationMs)}${sizes}`;
}

export function unlockLine(repository: string, { hasLocks, removed, remaining }: OperationResults['unlock']): string {
  if (!hasLocks) return `${repository}: its engine has no locks that could be left behind`;
  if (removed + remaining === 0) return `${repository}: there were no locks`;
  const left = remaining === 0 ? '' : `; ${remaining} are left, because the processes that made them may still run`;
  return `${repository}: ${removed} stale locks removed${left}`;
}
