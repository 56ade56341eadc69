import type { LoggableError } from './loggable-error.ts';

/** The parts of a line that every form has. `level` is spelled as logrus spells it: `warning`. */
export interface LogLine {
  time: string;
  level: string;
  msg: string;
  [field: string]: unknown;
}

/**
 * One line in the text form of logrus, which Velero's users read and grep: `time="…" level=info msg="…" key=value`,
 * keys sorted. Line feeds and control characters are escaped, so a line stays a line.
 */
export function textLine({ time, level, msg, ...fields }: LogLine): string {
  const pairs = Object.entries(flatFields(fields))
    .sort(([one], [two]) => (one < two ? -1 : one > two ? 1 : 0))
    .map(([name, value]) => ` ${name.replace(/[\s="]/g, '_')}=${valueText(value)}`);
  return `time=${quoted(time)} level=${level} msg=${valueText(msg)}${pairs.join('')}`;
}

/** Fields with the error under `err` taken apart, as logrus' WithError names it. */
export function flatFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      name === 'err' && isErrorData(value) ? errorPairs(value) : [[name, value] as const],
    ),
  );
}

function isErrorData(value: unknown): value is LoggableError {
  return typeof value === 'object' && value !== null && 'message' in value;
}

/** `error` is the key of logrus' WithError. */
function errorPairs({ message, causes = [], code, nextStep, details, stack }: LoggableError): [string, unknown][] {
  const pairs: [string, unknown][] = [
    ['error', [message, ...causes].join(': ')],
    ['errorCode', code],
    ['errorDetails', details],
    ['nextStep', nextStep],
    ['stack', stack],
  ];
  return pairs.filter(([, value]) => value !== undefined);
}

/** logrus leaves these unquoted. */
const plainText = /^[a-zA-Z0-9\-._/@^+]+$/;

function valueText(value: unknown): string {
  if (typeof value === 'string') return plainText.test(value) ? value : quoted(value);
  if (typeof value === 'object' && value !== null) return quoted(JSON.stringify(value));
  return String(value);
}

/** As Go's %q for what matters here: quotes, backslashes, line feeds and other control characters are escaped. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (at) => `\\u${at.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
