import { Writable } from 'node:stream';
import type { LogFields, Logger } from '@lateen/kernel';

/** What winston hands to a transport; the level is repeated under a symbol, for a format may have coloured the other. */
interface WinstonInfo {
  level: string;
  message: unknown;
  [field: string]: unknown;
}

const plainLevel = Symbol.for('level');

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

export interface WinstonTransport extends Writable {
  /** Winston knows a transport by it; it calls `write`. */
  log(info: unknown, next: () => void): void;
}

/**
 * A transport for code that logs by winston (plugins): its lines land in our own log, whole, redacted and in our form.
 * Needs nothing of winston: to it, a transport is a stream of objects with a `log` method. The level is ours to filter;
 * an unknown one counts as info.
 */
export function winstonTransport(log: Logger): WinstonTransport {
  const pass = (info: unknown) => {
    const { level, message, ...fields } = info as WinstonInfo;
    const named = (info as { [plainLevel]?: unknown })[plainLevel];
    const at = levels[typeof named === 'string' ? named : level] ?? 'info';
    log[at](fields as LogFields, typeof message === 'string' ? message : String(message));
  };
  const stream = new Writable({
    objectMode: true,
    write: (info, _encoding, done) => {
      pass(info);
      done();
    },
  });
  return Object.assign(stream, {
    log: (info: unknown, next: () => void) => {
      pass(info);
      next();
    },
  });
}
