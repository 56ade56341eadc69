import type { LogFields, Logger } from '@lateen/kernel';

export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields: LogFields;
}

/** A logger that keeps its lines, so that a test can check what is (or is not) logged. */
export interface RecordingLog extends Logger {
  readonly lines: readonly LogLine[];
  /** Messages of one level, or of all levels. */
  messages(level?: LogLine['level']): string[];
}

export function recordingLog(bound: LogFields = {}, lines: LogLine[] = []): RecordingLog {
  const write = (level: LogLine['level']) => (fields: LogFields, message: string) => {
    lines.push({ level, message, fields: { ...bound, ...fields } });
  };
  return {
    lines,
    messages: (level) => lines.filter((line) => level === undefined || line.level === level).map((l) => l.message),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => recordingLog({ ...bound, ...fields }, lines),
  };
}
