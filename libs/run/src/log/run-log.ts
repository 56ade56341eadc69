import { ResultLines, type Results, resultLine } from '@lateen/backup-store';
import type { LogFields, Logger, LogLevel } from '@lateen/kernel';
import { lineStream } from './line-stream.ts';

export interface RunLogPorts {
  /** Makes a logger in Velero's format; it writes whole lines. */
  logTo(write: (lines: string) => void): Logger;
  /** The controller's own log, which also gets every line. */
  log: Logger;
  redact(text: string): string;
}

/** The log of one run: its file, with the warnings and errors counted and collected. */
export interface RunLog {
  readonly log: Logger;
  readonly counts: { readonly warnings: number; readonly errors: number };
  /** The warnings and errors so far. */
  results(): Results;
  /** The text of the file; read once, while it runs. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Ends the file; later lines go only to the controller's log, and are counted. */
  end(): void;
}

/** @param own fields of every line: `{ backup: 'namespace/name' }` */
export function runLog(ports: RunLogPorts, own: LogFields): RunLog {
  const stream = lineStream();
  const lines = new ResultLines();
  const counts = { warnings: 0, errors: 0 };
  const file = ports.logTo(stream.write);
  const write = (level: LogLevel, fields: LogFields, message: string): void => {
    file[level](fields, message);
    ports.log[level](fields, message);
    if (level !== 'warn' && level !== 'error') return;
    counts[level === 'warn' ? 'warnings' : 'errors'] += 1;
    lines.add(level === 'warn' ? 'warning' : 'error', resultLine(fields, message, ports.redact));
  };
  return { log: bound(own, write), counts, results: () => lines.results(), pieces: stream.pieces, end: stream.end };
}

function bound(own: LogFields, write: (level: LogLevel, fields: LogFields, message: string) => void): Logger {
  const at = (level: LogLevel) => (fields: LogFields, message: string) => write(level, { ...own, ...fields }, message);
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => bound({ ...own, ...fields }, write),
  };
}
