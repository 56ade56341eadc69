import { parseArgs } from 'node:util';
import type { VolumeMode } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { parseDurationMs } from '@lateen/kernel';
import type { LogLevel } from '@lateen/logging';

/** What `data-mover` was asked to do. */
export type Command = { kind: 'help' } | ({ kind: 'run' } & DataPathFlags);

export interface DataPathFlags {
  direction: 'backup' | 'restore';
  /** Absolute path of the volume inside the pod. */
  volumePath: string;
  volumeMode: VolumeMode;
  /** Name of the DataUpload (backup) or DataDownload (restore). */
  name: string;
  /** For waits on objects; not for the data path itself. */
  resourceTimeoutMs: number;
  logLevel: LogLevel;
  logFormat: 'text' | 'json';
  /** Where kopia's cache goes (restore only). */
  cacheVolumePath: string | undefined;
}

export const helpText = `data-mover runs one data path to its end: it moves a volume to or from a backup repository.

It is the command of backup and restore pods, started by node-agent, and reports by Events and by its
termination message. The data path starts when the custom resource is InProgress.

Usage:
  data-mover backup  --volume-path PATH --volume-mode MODE --data-upload NAME   --resource-timeout DURATION
  data-mover restore --volume-path PATH --volume-mode MODE --data-download NAME --resource-timeout DURATION

Flags:
  --volume-path PATH          the volume, as mounted in this pod
  --volume-mode MODE          Filesystem or Block
  --data-upload NAME          the DataUpload this backup is for
  --data-download NAME        the DataDownload this restore is for
  --resource-timeout DURATION longest wait for a Kubernetes object, for example 10m0s
  --cache-volume-path PATH    directory for the engine's cache (restore)
  --log-level LEVEL           debug, info, warn or error (default info)
  --log-format FORMAT         text or json (default text)
  --help                      this text

Environment: VELERO_NAMESPACE, NODE_NAME, VELERO_SCRATCH_DIR, and the service account that Kubernetes mounts.
Exit code: 0 when the data is moved, 1 when it is not (the termination message says why), 2 for wrong flags.
`;

const options = {
  'volume-path': { type: 'string' },
  'volume-mode': { type: 'string' },
  'data-upload': { type: 'string' },
  'data-download': { type: 'string' },
  'resource-timeout': { type: 'string' },
  'cache-volume-path': { type: 'string' },
  'log-level': { type: 'string' },
  'log-format': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** The flags of data-movement.md section 4. @throws USAGE naming the flag */
export function parseFlags(argv: readonly string[]): Command {
  const { values, positionals } = parse(argv);
  if (values.help === true || positionals[0] === 'help') return { kind: 'help' };
  const [direction, ...rest] = positionals;
  if (direction !== 'backup' && direction !== 'restore') {
    throw usage(direction === undefined ? 'a command is missing' : `unknown command "${direction}"`);
  }
  if (rest[0] !== undefined) throw usage(`unexpected argument "${rest[0]}"`);
  const [nameFlag, otherFlag] =
    direction === 'backup' ? (['data-upload', 'data-download'] as const) : (['data-download', 'data-upload'] as const);
  if (values[otherFlag] !== undefined) throw usage(`--${otherFlag} does not belong to ${direction}`);
  const volumePath = required('volume-path', values['volume-path']);
  if (!volumePath.startsWith('/')) throw usage(`--volume-path "${volumePath}" is not an absolute path`);
  const timeout = required('resource-timeout', values['resource-timeout']);
  const resourceTimeoutMs = parseDurationMs(timeout);
  if (resourceTimeoutMs === undefined || resourceTimeoutMs <= 0) {
    throw usage(`--resource-timeout "${timeout}" is not a duration above zero, such as 10m0s`);
  }
  return {
    kind: 'run',
    direction,
    volumePath,
    volumeMode: oneOf('volume-mode', required('volume-mode', values['volume-mode']), ['Filesystem', 'Block']),
    name: required(nameFlag, values[nameFlag]),
    resourceTimeoutMs,
    logLevel: logLevelOf(values['log-level'] ?? 'info'),
    logFormat: oneOf('log-format', values['log-format'] ?? 'text', ['text', 'json']),
    cacheVolumePath: values['cache-volume-path'] || undefined,
  };
}

/** Beside our levels, the names of the reference's logger (logrus), whose flags the pod inherits. */
function logLevelOf(text: string): LogLevel {
  const known: Record<string, string> = { trace: 'debug', warning: 'warn', fatal: 'error', panic: 'error' };
  return oneOf('log-level', known[text] ?? text, ['debug', 'info', 'warn', 'error']);
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

function required(flag: string, value: string | undefined): string {
  if (value === undefined || value === '') throw usage(`--${flag} is required`);
  return value;
}

function oneOf<const T extends string>(flag: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw usage(`--${flag} "${value}" is not one of ${allowed.join(', ')}`);
  return found;
}

function usage(message: string): AppError {
  return new AppError('USAGE', message, { nextStep: 'See data-mover --help.' });
}
