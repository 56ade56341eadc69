import { type RunCommand, volumeError } from '@lateen/volume';
import { ExecaError, execa } from 'execa';

/** More than any tool here prints; a longer output fails the command. */
const outputBytesMax = 1024 * 1024;
/** What of stderr goes into a message. */
const stderrCharactersMax = 500;
/** From SIGTERM to SIGKILL. */
const killDelayMs = 2_000;

/**
 * Runs host programs through execa. Unless told otherwise a command dies with this process (`setpriv --pdeathsig`), so
 * that after a kill -9 no mkfs or copy of the old process works beside the new one. Texts are in English, whatever the
 * locale of the host.
 */
export const runCommand: RunCommand = async (command, args, options) => {
  const [file, fileArgs] = options.outlivesParent
    ? [command, args]
    : ['setpriv', ['--pdeathsig', 'KILL', '--', command, ...args]];
  options.signal.throwIfAborted();
  try {
    const { stdout, exitCode } = await execa(file, fileArgs, {
      cancelSignal: options.signal,
      timeout: options.timeoutMs,
      forceKillAfterDelay: killDelayMs,
      maxBuffer: outputBytesMax,
      stdin: 'ignore',
      cleanup: !options.outlivesParent,
      env: { LC_ALL: 'C' },
    });
    return { stdout, exitCode: exitCode ?? 0 };
  } catch (error) {
    if (!(error instanceof ExecaError)) throw error;
    if (error.isCanceled) throw options.signal.reason;
    if (error.exitCode !== undefined && options.okExitCodes?.includes(error.exitCode)) {
      return { stdout: error.stdout ?? '', exitCode: error.exitCode };
    }
    throw commandError(command, error, options.timeoutMs);
  }
};

function commandError(command: string, error: ExecaError, timeoutMs: number): Error {
  const stderr = String(error.stderr ?? '')
    .trim()
    .slice(-stderrCharactersMax);
  const outcome = error.timedOut
    ? `took longer than ${timeoutMs} ms`
    : error.exitCode === undefined
      ? `could not run (${error.signal ?? error.code ?? 'unknown reason'})`
      : `failed with exit code ${error.exitCode}`;
  return volumeError('COMMAND_FAILED', `${command} ${outcome}${stderr === '' ? '' : `: ${stderr}`}`, {
    retry: 'soon',
    details: { command, exitCode: error.exitCode, stderr },
  });
}
