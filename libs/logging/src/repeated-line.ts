import type { CutLine } from './cut-lines.ts';
import { type LogLine, textLine } from './text-line.ts';

/** Fields that say whose line it is. */
export type MarkingFields = Readonly<Record<string, string>>;

/**
 * A line of another pod's log as a line of ours: its time, level, message and fields are kept and the marking fields
 * added (they win). A line that is not JSON becomes the message of a new line.
 * @param now the time of lines that bring none
 */
export function repeatedLine(line: CutLine, marks: MarkingFields, format: 'json' | 'text', now: string): string {
  const whole = line.cutBytes === 0 ? parseLog(line.text) : undefined;
  if (whole !== undefined) return render({ ...whole, time: whole.time ?? now, ...marks }, format);
  // A line that is in the text form already only gets the marks.
  if (format === 'text' && line.cutBytes === 0 && /^time="[^"]*" level=\w+ msg=/.test(line.text)) {
    return line.text + textLine({ time: '', level: '', msg: '', ...marks }).replace(/^time="" level= msg=("")?/, '');
  }
  const msg = line.cutBytes === 0 ? line.text : `${line.text}…[${line.cutBytes} bytes cut]`;
  return render({ time: now, level: 'info', msg, ...marks }, format);
}

function render(line: LogLine, format: 'json' | 'text'): string {
  return format === 'text' ? textLine(line) : JSON.stringify(line);
}

interface ParsedLine {
  time: string | undefined;
  level: string;
  msg: string;
  [field: string]: unknown;
}

function parseLog(text: string): ParsedLine | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const { time, level, msg, message, ...fields } = JSON.parse(text) as Record<string, unknown>;
    const said = msg ?? message;
    return {
      time: typeof time === 'string' ? time : undefined,
      level: levelText(level),
      msg: typeof said === 'string' ? said : said === undefined ? '' : JSON.stringify(said),
      ...fields,
    };
  } catch {
    // Looks like JSON and is not: repeated as text.
    return undefined;
  }
}

/** pino's numbers for programs that log them raw. */
const numbered: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
  60: 'fatal',
};

function levelText(level: unknown): string {
  if (typeof level === 'number') return numbered[level] ?? 'info';
  if (typeof level !== 'string' || !/^[a-zA-Z]+$/.test(level)) return 'info';
  return level === 'warn' ? 'warning' : level.toLowerCase();
}
