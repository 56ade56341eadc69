import { redactText } from '@lateen/kernel';
import { isPanic, pluginLogReader } from '@lateen/plugin-protocol';

/** Short enough for a status message that a person reads. */
const lengthMax = 500;
const plainLinesMax = 3;

/**
 * What a program printed about its end: the panic of Go or the error of Node with its place in the code, else its last lines. Undefined when it
 * printed nothing. On one line; credentials of common forms are removed.
 */
export function lastWords(stderr: string): string | undefined {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const words = panicIn(lines) ?? errorIn(lines) ?? lines.slice(-plainLinesMax).map(plain);
  const text = redactText(words.map((line) => line.trim()).join('; ')).slice(0, lengthMax);
  return text === '' ? undefined : text;
}

/** `panic: text`, then a line of the goroutine, then function and place. */
function panicIn(lines: readonly string[]): readonly string[] | undefined {
  const at = lines.findIndex(isPanic);
  if (at < 0) return undefined;
  const goroutine = lines.findIndex((line, index) => index > at && line.startsWith('goroutine '));
  return [...lines.slice(at, at + 1), ...(goroutine < 0 ? [] : lines.slice(goroutine + 1, goroutine + 3))];
}

/** `TypeError: text`, then the first place. */
function errorIn(lines: readonly string[]): readonly string[] | undefined {
  const at = lines.findLastIndex((line) => /^(Uncaught )?[A-Z]?\w*Error\b.*: /.test(line));
  if (at < 0) return undefined;
  const place = lines[at + 1];
  return [...lines.slice(at, at + 1), ...(place?.trim().startsWith('at ') ? [place] : [])];
}

const plain = (line: string): string => pluginLogReader()(line).message;
