import { AppError, isAppError } from '@lateen/errors';
import { parseExact, stringify } from '@lateen/kube';
import { nestsDeeper } from '@lateen/object-store';
import type { GoType } from './go-type.ts';

/** The form of one file: from its text and back, in the bytes of Go's encoder. */
export interface JsonFile<T> {
  /** @throws BACKUP_FILE_BROKEN */
  parse(text: string): T;
  text(value: T): string;
}

/** No file of Velero is 20 deep, but objects of the API may be stored in them. */
const levelsMax = 200;

/** @param what names the file in messages: `the volume info` */
export function jsonFile<T>(what: string, type: GoType, empty: () => T): JsonFile<T> {
  return {
    parse: (text) => {
      const value = parsed(what, text);
      return value === null ? empty() : (type.read(value, what) as T);
    },
    text: (value) => `${stringify(type.write(value))}\n`,
  };
}

/** @throws BACKUP_FILE_BROKEN */
export function parsed(what: string, text: string): unknown {
  if (nestsDeeper(text, 'json', levelsMax)) {
    throw new AppError('BACKUP_FILE_BROKEN', `${what} is nested more than ${levelsMax} levels deep`);
  }
  try {
    return parseExact(text);
  } catch (cause) {
    if (isAppError(cause)) throw cause;
    throw new AppError('BACKUP_FILE_BROKEN', `${what} is not JSON`, { cause });
  }
}
