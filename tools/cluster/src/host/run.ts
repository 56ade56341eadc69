import { AppError } from '@lateen/errors';
import { execa } from 'execa';

export interface RunOptions {
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  input?: string;
  signal?: AbortSignal | undefined;
  /** Called for each line of output (both streams), for progress. */
  onLine?: (line: string) => void;
  /** Exit codes other than 0 that are an answer and not a failure. */
  acceptCodes?: readonly number[];
  timeoutMs?: number;
}

export interface RunResult {
  exitCode: number;
  stdout: string;
}

/** Enough to show the cause of a failure without a compiler's whole output. */
const errorLinesMax = 12;
/** Short commands (ip, mount, losetup …) that take longer than this hang. */
const defaultTimeoutMs = 120_000;

/**
 * Runs a program of the host to its end. Errors contain the arguments: never pass a secret in them.
 * @throws COMMAND_MISSING, COMMAND_FAILED (with the last lines that the program printed)
 */
export async function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const child = execa(file, args, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { LC_ALL: 'C', ...options.env },
    ...(options.input === undefined ? { stdin: 'ignore' } : { input: options.input }),
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
    timeout: options.timeoutMs ?? defaultTimeoutMs,
    reject: false,
    all: true,
  });
  if (options.onLine) for await (const line of child.iterable({ from: 'all' })) options.onLine(line);
  const result = await child;
  options.signal?.throwIfAborted();
  if (result.exitCode === 0) return { exitCode: 0, stdout: result.stdout };
  if (result.exitCode !== undefined && options.acceptCodes?.includes(result.exitCode))
    return { exitCode: result.exitCode, stdout: result.stdout };
  if (result.code === 'ENOENT')
    throw new AppError('COMMAND_MISSING', `the program \`${file}\` is not installed`, {
      nextStep: `Install it and run the command again.`,
    });
  const how = result.timedOut ? 'did not end in time' : `ended with ${result.signal ?? `exit code ${result.exitCode}`}`;
  const said = result.all.trim().split('\n').slice(-errorLinesMax).join('\n');
  throw new AppError('COMMAND_FAILED', `\`${[file, ...args].join(' ')}\` ${how}${said === '' ? '' : `:\n${said}`}`, {
    cause: result.exitCode === undefined && !result.timedOut ? result.cause : undefined,
    details: { exitCode: result.exitCode },
  });
}
