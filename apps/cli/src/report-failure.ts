import { describeError, isAppError } from '@lateen/errors';
import { CommanderError } from 'commander';

/** Commands that Velero does not have. Their exit code distinguishes a wrong command line and an interruption. */
const ownCommands: ReadonlySet<string> = new Set(['volume', 'storage']);

/** Exit codes of commands with which the user asks for the result of a run (docs/adr/0034). */
const endCodes: Readonly<Record<string, number>> = {
  BACKUP_PARTIALLY_FAILED: 3,
  BACKUP_FAILED: 4,
  BACKUPS_DIFFER: 3,
  RESTORE_PARTIALLY_FAILED: 3,
  RESTORE_FAILED: 4,
  RESTORE_PLAN_TROUBLE: 3,
};

export interface Failure {
  /** Text for stderr; empty when nothing is left to report. */
  text: string;
  exitCode: number;
}

/**
 * Text and exit code for an error. Velero's commands print `An error occurred: …` and exit with 1 for every error, the command
 * line included (cli.md section 1). An interruption has no text, unless it ended a wait for something that continues and the user
 * has to know about it.
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

/** 0 done, 1 failed, 2 the command line is wrong (like grep and git), 130 interrupted (like shells). */
function exitCodeOf(error: unknown, interrupted: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (interrupted) return 130;
  return isAppError(error, 'BAD_FLAG') || isAppError(error, 'BAD_ARGUMENT') ? 2 : 1;
}
