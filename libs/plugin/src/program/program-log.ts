import type { Logger, LogLevel } from '@lateen/kernel';
import { makeLogger, type Sink } from '@lateen/logging';
import { pluginLogText } from '@lateen/plugin-protocol';

export interface ProgramLogOptions {
  level: LogLevel;
  /** Standard error by default. */
  destination?: number | Sink;
}

/** Hosts read lines of 64 KiB; what is longer they show at debug, in pieces. */
const lineCharactersMax = 48 * 1024;

/**
 * The logger of a plugin program: each line is JSON as hclog writes it, on standard error, where hosts on go-plugin read level, message and
 * fields. Errors go under `error`, as with logrus. Written before the call returns.
 */
export function programLog({ level, destination = 2 }: ProgramLogOptions): Logger {
  return makeLogger({
    level,
    destination,
    format: ({ level: named, message, fields }) => {
      const line = pluginLogText({ level: named, message, fields });
      if (line.length <= lineCharactersMax) return line;
      const short = message.slice(0, lineCharactersMax / 8);
      return pluginLogText({ level: named, message: short, fields: { left: 'fields left out: the line is too long' } });
    },
  });
}

/** `--log-level` among the arguments that hosts pass on (their own); info by default, and for levels that we do not know. */
export function logLevelIn(args: readonly string[]): LogLevel {
  const at = args.findIndex((arg) => arg === '--log-level' || arg.startsWith('--log-level='));
  const text = at < 0 ? undefined : (args[at]?.split('=')[1] ?? args[at + 1]);
  return levels[text?.toLowerCase() ?? ''] ?? 'info';
}

/** logrus' names. */
const levels: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  fatal: 'error',
  panic: 'error',
};
