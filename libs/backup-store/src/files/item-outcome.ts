import { AppError } from '@lateen/errors';
import { splitLines } from '@lateen/kube';
import { isObject } from '../json/go-type.ts';
import { parsed } from '../json/json-file.ts';
import type { RestoreItemOutcome } from './restore-item-outcome.ts';

export const itemOutcomeKinds = ['BackedUp', 'Warning', 'Failed', 'Skipped'] as const;
export type ItemOutcomeKind = (typeof itemOutcomeKinds)[number];

/**
 * What became of one object; an entry of `<backup>-item-outcomes.json.gz`, one JSON document per line. The reference has only a design
 * of such a file (after-1.18.1.md 1C): the file and this form are ours until that is decided.
 */
export interface ItemOutcome {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
  outcome: ItemOutcomeKind;
  /** Why it is not simply backed up. */
  reason?: string;
  /** The action, hook or filter that said so. */
  by?: string;
}

/** A line says why something failed; more than this nobody wrote. */
const lineBytesMax = 1024 * 1024;

/** The outcomes in a file of a backup, one line after the other. @throws BACKUP_FILE_BROKEN */
export const outcomesIn = (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ItemOutcome> =>
  objectLines<ItemOutcome>(pieces, 'outcome');

/** The same of a restore's outcomes, and of a plan. @throws BACKUP_FILE_BROKEN */
export const restoreOutcomesIn = (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<RestoreItemOutcome> =>
  objectLines<RestoreItemOutcome>(pieces, 'act');

async function* objectLines<T>(pieces: AsyncIterable<Uint8Array>, verdict: keyof T & string): AsyncGenerator<T> {
  const tooLong = () =>
    new AppError('BACKUP_FILE_BROKEN', `the item outcomes have a line of more than ${lineBytesMax} bytes`);
  for await (const { text } of splitLines(pieces, { bytesMax: lineBytesMax, tooLong })) {
    if (text !== '') yield objectIn<T>(text, verdict);
  }
}

function objectIn<T>(line: string, verdict: string): T {
  const value = parsed('a line of the item outcomes', line);
  if (isObject(value) && ['apiVersion', 'kind', 'name', verdict].every((key) => typeof value[key] === 'string'))
    return value as T;
  throw new AppError('BACKUP_FILE_BROKEN', 'the item outcomes have a line that is none');
}
