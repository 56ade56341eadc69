import type { LogFields, Logger } from '@lateen/kernel';
import TransportStream from 'winston-transport';

const plainLevel = Symbol.for('level');

/** What winston hands to a transport; the level is repeated under a symbol, for a format may have coloured the other. */
interface WinstonInfo {
  level: string;
  message: unknown;
  [plainLevel]?: unknown;
  [field: string]: unknown;
}

/** winston's npm levels and syslog's, and those of our logger. */
const levels: Readonly<Record<string, 'debug' | 'info' | 'warn' | 'error'>> = {
  emerg: 'error',
  alert: 'error',
  crit: 'error',
  error: 'error',
  warn: 'warn',
  warning: 'warn',
  notice: 'info',
  info: 'info',
  http: 'debug',
  verbose: 'debug',
  debug: 'debug',
  silly: 'debug',
};

/**
 * A transport for code that logs by winston (plugins): its lines land in our own log, whole, redacted and in our form. Like every
 * transport without a level it follows the level of the winston logger that it is given to; ours filters after that. A level
 * that we do not know counts as info.
 */
export function winstonTransport(log: Logger): TransportStream {
  return new TransportStream({
    log: (info: WinstonInfo, next) => {
      const { level, message, ...fields } = info;
      const named = info[plainLevel];
      const at = levels[typeof named === 'string' ? named : level] ?? 'info';
      log[at](fields as LogFields, typeof message === 'string' ? message : String(message));
      next();
    },
  });
}
