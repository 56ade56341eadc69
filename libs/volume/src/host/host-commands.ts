import { childRunner } from '@lateen/child-process';
import { isAppError } from '@lateen/errors';
import { type Clock, durationText } from '@lateen/kernel';
import { volumeError } from '../volume-error.ts';
import type { CommandOptions, RunCommand } from './run-command.ts';

/** More than any tool here prints; a longer output fails the command. */
const outputBytesMax = 1024 * 1024;
/** What of stderr goes into a message. */
const stderrCharactersMax = 500;
/** From SIGINT to SIGKILL. */
const killDelayMs = 2_000;

export interface HostCommandsOptions {
  clock: Clock;
  /** Our own, which the programs get too. */
  environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs host programs. Unless told otherwise a command dies with this process (`setpriv --pdeathsig`), so that after a kill -9 no
 * mkfs or copy of the old process works beside the new one. Texts are in English, whatever the locale of the host.
 */
export function hostCommands({ clock, environment }: HostCommandsOptions): RunCommand {
  const inherited = Object.entries(environment).filter((each): each is [string, string] => each[1] !== undefined);
  const env = { ...Object.fromEntries(inherited), LC_ALL: 'C' };
  return async (command, args, options) => {
    const [program, programArgs] = options.outlivesParent
      ? [command, args]
      : ['setpriv', ['--pdeathsig', 'KILL', '--', command, ...args]];
    options.signal.throwIfAborted();
    const late = clock.deadline(options.timeoutMs);
    const signal = AbortSignal.any([options.signal, late]);
    const output = new BoundedOutput(command);
    const runner = childRunner({ program, clock, graceMs: killDelayMs });
    const exit = await runner
      .run({ args: programArgs, env, signal, onStdout: (chunk) => output.take(chunk) })
      .catch((error: unknown) => {
        throw isAppError(error, 'PROGRAM_NOT_STARTED') ? failed(command, 'could not run', { cause: error }) : error;
      });
    options.signal.throwIfAborted();
    const { exitCode, endedBy, stderr } = exit;
    if (exit.aborted) throw failed(command, `took longer than ${durationText(options.timeoutMs)}`, { stderr });
    if (exitCode === undefined) throw failed(command, `could not run (${endedBy ?? 'unknown reason'})`, { stderr });
    if (!isOk(exitCode, options)) throw failed(command, `failed with exit code ${exitCode}`, { exitCode, stderr });
    return { stdout: output.text().replace(/\r?\n$/, ''), exitCode };
  };
}

const isOk = (exitCode: number, { okExitCodes = [] }: CommandOptions): boolean =>
  exitCode === 0 || okExitCodes.includes(exitCode);

class BoundedOutput {
  readonly #command: string;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(command: string) {
    this.#command = command;
  }

  /** @throws COMMAND_FAILED, which ends the command */
  take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > outputBytesMax) throw failed(this.#command, `printed more than ${outputBytesMax} bytes`);
    this.#chunks.push(chunk);
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

function failed(
  command: string,
  outcome: string,
  { exitCode, stderr = '', cause }: { exitCode?: number; stderr?: string; cause?: unknown } = {},
): Error {
  const said = stderr.trim().slice(-stderrCharactersMax);
  return volumeError('COMMAND_FAILED', `${command} ${outcome}${said === '' ? '' : `: ${said}`}`, {
    retry: 'soon',
    details: { command, exitCode, stderr: said },
    ...(cause === undefined ? {} : { cause }),
  });
}
