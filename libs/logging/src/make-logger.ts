import {
  type Clock,
  type LogFields,
  type LogFormat,
  type Logger,
  type LogLevel,
  secretTest,
  systemClock,
} from '@lateen/kernel';
import pino from 'pino';
import { loggableFields } from './loggable.ts';
import { fdSink, type Sink } from './sink.ts';
import { flatFields, type LogLine, textLine } from './text-line.ts';

export interface MakeLoggerOptions {
  level: LogLevel;
  /** `json`, `text`, or a function that makes a line in a form of its own, without the line feed. */
  format: LogFormat | ((line: PlainLine) => string);
  /** A file descriptor (written synchronously) or a sink that is shared with {@link repeatPodLog}. Default 1. */
  destination?: number | Sink;
  /** Names of further fields whose values are secret. */
  redact?: readonly string[];
  clock?: Clock;
}

/** A logger whose level can change while it is used; that of its children changes with it. */
export interface LeveledLogger extends Logger {
  setLevel(level: LogLevel): void;
}

/** A line that is ready to be written: secrets replaced, errors as the fields that the text form has, bounded. */
export interface PlainLine {
  /** RFC 3339 with milliseconds. */
  time: string;
  level: LogLevel;
  message: string;
  fields: Readonly<Record<string, unknown>>;
}

/**
 * A logger on pino. Fields with secret names are replaced at any depth, errors become data (stack only at level
 * debug), and no line can be torn or grow without bound. Nothing is started and nothing registered: dropping it is
 * enough.
 */
export function makeLogger(options: MakeLoggerOptions): LeveledLogger {
  const { level, format, destination = 1, clock = systemClock } = options;
  const sink = typeof destination === 'number' ? fdSink({ fd: destination }) : destination;
  const isSecret = secretTest(options.redact);
  const written = typeof format === 'function' ? (line: LogLine) => format(plainLine(line)) : textLine;
  const base = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label === 'warn' ? 'warning' : label }) },
      // Errors are data by the time pino sees them; its own serializer would take them for errors again.
      serializers: { err: (value: unknown) => value },
    },
    format === 'json' ? sink : { write: (line: string) => sink.write(`${written(JSON.parse(line) as LogLine)}\n`) },
  );
  const setLevel = (to: LogLevel): void => {
    base.level = to;
  };
  return { ...bind(base, {}, isSecret), setLevel };
}

function plainLine({ time, level, msg, ...fields }: LogLine): PlainLine {
  return { time, level: level === 'warning' ? 'warn' : (level as LogLevel), message: msg, fields: flatFields(fields) };
}

/** Fields of children are merged here and not by pino, which would write a name twice when a call repeats it. */
function bind(base: pino.Logger, bound: LogFields, isSecret: (name: string) => boolean): Logger {
  const loggable = (fields: LogFields) => loggableFields(fields, { isSecret, withStack: base.isLevelEnabled('debug') });
  const at = (level: LogLevel) => (fields: LogFields, message: string) => {
    if (base.isLevelEnabled(level)) base[level]({ ...bound, ...loggable(fields) }, message);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => bind(base, { ...bound, ...loggable(fields) }, isSecret),
  };
}
