import { parseArgs } from 'node:util';
import { AppError } from '@lateen/errors';
import type { LogLevel } from '@lateen/logging';
import { newPasswordVariable, type RepositoryOperation, repositoryOperations } from '@lateen/maintenance';
import { type MaintenanceMode, maintenanceModes } from '@lateen/repository/operations';

/** What `repo-maintenance` was asked to do. */
export type Command = { kind: 'help' } | ({ kind: 'run' } & TaskFlags);

export interface TaskFlags {
  operation: RepositoryOperation;
  /** Name of the BackupRepository. */
  repositoryName: string;
  /** Of `maintain`; auto: whichever is due. */
  mode: MaintenanceMode | 'auto';
  /** Of `check`. */
  readDataPercent: number;
  /** Reports as JSON lines on standard output, or sentences for people. */
  output: 'json' | 'text';
  logLevel: LogLevel;
  logFormat: 'text' | 'json';
}

export const helpText = `repo-maintenance does one task with one backup repository.

It is the command of Jobs that the controller or lateen repo makes, runs with their service account, and tells its result in
its log and in its termination message.

Usage:
  repo-maintenance maintain        --repo-name NAME [--mode auto|quick|full]
  repo-maintenance check           --repo-name NAME [--read-data-percent PERCENT]
  repo-maintenance usage           --repo-name NAME
  repo-maintenance unlock          --repo-name NAME
  repo-maintenance change-password --repo-name NAME

Flags:
  --repo-name NAME             the BackupRepository, in the namespace VELERO_NAMESPACE
  --mode MODE                  which cycle of maintenance; auto runs the one that is due (default auto)
  --read-data-percent PERCENT  how much of the stored data is read; 0 looks at the structure only (default 0)
  --output FORMAT              json: one report a line; text: for people (default text)
  --log-level LEVEL            debug, info, warn or error (default info)
  --log-format FORMAT          text or json (default text)
  --help                       this text

Environment: VELERO_NAMESPACE, VELERO_SCRATCH_DIR, the service account that Kubernetes mounts, and for change-password
${newPasswordVariable}.
Exit code: 0 when the task is done and nothing is damaged, 1 when it failed, 2 for wrong flags, 3 when a check found damage.
`;

const options = {
  'repo-name': { type: 'string' },
  mode: { type: 'string' },
  'read-data-percent': { type: 'string' },
  output: { type: 'string', short: 'o' },
  'log-level': { type: 'string' },
  'log-format': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** @throws USAGE naming the flag */
export function parseFlags(argv: readonly string[]): Command {
  const { values, positionals } = parse(argv);
  if (values.help === true || positionals[0] === 'help') return { kind: 'help' };
  const [command, ...rest] = positionals;
  const operation = repositoryOperations.find((each) => each === command);
  if (operation === undefined)
    throw usage(command === undefined ? 'a command is missing' : `unknown command "${command}"`);
  if (rest[0] !== undefined) throw usage(`unexpected argument "${rest[0]}"`);
  if (!values['repo-name']) throw usage('--repo-name is required');
  if (operation !== 'maintain' && values.mode !== undefined) throw usage(`--mode does not belong to ${operation}`);
  if (operation !== 'check' && values['read-data-percent'] !== undefined)
    throw usage(`--read-data-percent does not belong to ${operation}`);
  return {
    kind: 'run',
    operation,
    repositoryName: values['repo-name'],
    mode: oneOf('mode', values.mode ?? 'auto', ['auto', ...maintenanceModes]),
    readDataPercent: percentOf(values['read-data-percent'] ?? '0'),
    output: oneOf('output', values.output ?? 'text', ['json', 'text']),
    logLevel: oneOf('log-level', values['log-level'] ?? 'info', ['debug', 'info', 'warn', 'error']),
    logFormat: oneOf('log-format', values['log-format'] ?? 'text', ['text', 'json']),
  };
}

function percentOf(text: string): number {
  const percent = Number(text);
  if (text.trim() !== '' && percent >= 0 && percent <= 100) return percent;
  throw usage(`--read-data-percent "${text}" is not a number from 0 to 100`);
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (cause) {
    // The texts of parseArgs name the flag ("Unknown option '--x'. To specify …"); their first sentence is enough.
    const text = cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : String(cause);
    throw usage(text.charAt(0).toLowerCase() + text.slice(1));
  }
}

function oneOf<const T extends string>(flag: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw usage(`--${flag} "${value}" is not one of ${allowed.join(', ')}`);
  return found;
}

function usage(message: string): AppError {
  return new AppError('USAGE', message, { nextStep: 'See repo-maintenance --help.' });
}
