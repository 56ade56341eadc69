import { describeError, isAppError } from '@lateen/errors';
import { CommanderError } from 'commander';

/** Commands that Velero does not have at all. They tell a wrong command line and an interruption apart by exit code. */
const ownCommands: ReadonlySet<string> = new Set(['volume', 'storage']);

/** Where a person has asked to be told by the exit code what has come of it (docs/adr/0034). */
const endCodes: Readonly<Record<string, number>> = {
  BACKUP_PARTIALLY_FAILED: 3,
  BACKUP_FAILED: 4,
  BACKUPS_DIFFER: 3,
  RESTORE_PARTIALLY_FAILED: 3,
  RESTORE_FAILED: 4,
  RESTORE_PLAN_TROUBLE: 3,
};

export interface Failure {
  /** For stderr; empty when there is nothing left to say. */
  text: string;
  exitCode: number;
}

/**
 * What the shell gets of an error. Velero's commands say `An error occurred: …` and end with 1 whatever is wrong,
 * the command line included (cli.md section 1); an interruption has no text, unless it stopped a wait and there is
 * something to know about what goes on.
 * @param command the first word of the command line, "" when there was none that is known
 */
export function failureOf(error: unknown, { command, signal }: { command: string; signal: AbortSignal }): Failure {
  const told = signal.aborted && isAppError(error, 'INTERRUPTED');
  if (ownCommands.has(command)) {
    const text = error instanceof CommanderError ? '' : `lateen: ${describeError(error)}\n`;
    return { text, exitCode: exitCodeOf(error, told) };
  }
  // commander has printed its own message already.
  if (error instanceof CommanderError) return { text: '', exitCode: error.exitCode === 0 ? 0 : 1 };
  const ofEnd = isAppError(error) ? endCodes[error.code] : undefined;
  if (ofEnd !== undefined) return { text: `${describeError(error)}\n`, exitCode: ofEnd };
  if (told) return { text: `${describeError(error)}\n`, exitCode: 1 };
  const isInterruption = signal.aborted && error === signal.reason;
  return { text: isInterruption ? '' : `An error occurred: ${describeError(error)}\n`, exitCode: 1 };
}

/** 0 done, 1 failed, 2 the command line is wrong (as grep and git have it), 130 interrupted (as shells have it). */
function exitCodeOf(error: unknown, interrupted: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (interrupted) return 130;
  return isAppError(error, 'BAD_FLAG') || isAppError(error, 'BAD_ARGUMENT') ? 2 : 1;
}
