import { AppError } from '@lateen/errors';
import { isJsonObject, splitLines } from '@lateen/kube';
import { parsed } from '../json/json-file.ts';

/** A line has the outcome of one object; a longer line is not one of ours. */
const lineBytesMax = 1024 * 1024;

/** A file with one JSON document per line. */
export interface DocumentLines {
  /** Of the file, for messages: `the item outcomes`. */
  what: string;
  isOne(value: Record<string, unknown>): boolean;
}

/** Whether all of these are texts. */
export const hasTexts = (value: Record<string, unknown>, keys: readonly string[]): boolean =>
  keys.every((key) => typeof value[key] === 'string');

/** The documents of a file, one after the other. @throws BACKUP_FILE_BROKEN */
export async function* documentsIn<T>(
  { what, isOne }: DocumentLines,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<T> {
  const broken = (why: string) => new AppError('BACKUP_FILE_BROKEN', `${what} have ${why}`);
  const tooLong = () => broken(`a line of more than ${lineBytesMax} bytes`);
  for await (const { text } of splitLines(pieces, { bytesMax: lineBytesMax, tooLong })) {
    if (text === '') continue;
    const value = parsed(`a line of ${what}`, text);
    if (!isJsonObject(value) || !isOne(value)) throw broken('a line that is not a document of this kind');
    yield value as T;
  }
}

export async function* terminated(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
