import { readFile } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import { type LogFormat, type LogLevel, logFormats, logLevels } from '@lateen/kernel';

type Value = Record<string, unknown>;

/**
 * Reads the input that `serve` has written for a process.
 * @param what what the process runs, for messages
 * @throws AppError `CONFIG_INVALID` naming the file and what it lacks
 */
export async function readChildConfig<Config>(
  path: string,
  what: string,
  parse: (value: Value) => Config,
): Promise<Config & { logLevel: LogLevel; logFormat: LogFormat }> {
  try {
    const value: Value = JSON.parse(await readFile(path, 'utf8'));
    return {
      ...parse(value),
      logLevel: logLevels.find((one) => one === value.logLevel) ?? 'info',
      logFormat: logFormats.find((one) => one === value.logFormat) ?? 'text',
    };
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', `${path} does not say which ${what} to run`, {
      cause,
      nextStep: 'It is written by serve, which starts this program; it is not started by hand.',
    });
  }
}
