import { AppError, plainLine } from '@lateen/errors';
import type { Run, RunNoun, RunPhase, RunSight } from '@lateen/operations/run';
import type { TextOutput } from '../output/live-line.ts';

/** The error codes for the ends of a run, after the noun; report-failure.ts maps each to an exit code. */
const codes: Partial<Record<RunPhase, string>> = {
  PartiallyFailed: 'PARTIALLY_FAILED',
  Failed: 'FAILED',
  FailedValidation: 'FAILED',
  Canceled: 'FAILED',
  Deleting: 'FAILED',
};

/**
 * Reports the end of a run, in Velero's words (cli.md section 3). @param failing whether an end that is not Completed is an error
 * @throws AppError BACKUP_PARTIALLY_FAILED, BACKUP_FAILED, RESTORE_PARTIALLY_FAILED, RESTORE_FAILED
 */
export function reportEnd<T extends Run>(
  noun: RunNoun<T>,
  { run }: Pick<RunSight<T>, 'run'>,
  { failing }: { failing: boolean },
  stdout: TextOutput,
): void {
  const { word } = noun;
  const { name } = run.metadata;
  const phase = noun.phaseOf(run);
  stdout.write(
    `${noun.type.kind} completed with status: ${phase}. You may check for more information using the commands \`lateen ${word} describe ${name}\` and \`lateen ${word} logs ${name}\`.\n`,
  );
  const code = codes[phase];
  if (failing && code !== undefined)
    throw new AppError(`${word.toUpperCase()}_${code}`, `${word} "${name}" is ${phase}${why(run.status)}`);
}

function why(status: Run['status']): string {
  const said = status?.failureReason || (status?.validationErrors ?? []).join('; ');
  if (said !== '') return `: ${plainLine(said)}`;
  const errors = status?.errors ?? 0;
  return errors === 0 ? '' : `: ${errors} ${errors === 1 ? 'error' : 'errors'}`;
}
