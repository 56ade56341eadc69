import { type DocumentLines, documentsIn, hasTexts } from './document-lines.ts';

export const itemOutcomeKinds = ['BackedUp', 'Warning', 'Failed', 'Skipped'] as const;
export type ItemOutcomeKind = (typeof itemOutcomeKinds)[number];

/**
 * What became of one object; an entry of `<backup>-item-outcomes.json.gz`, one JSON document per line. Velero has only a design
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

const lines: DocumentLines = {
  what: 'the item outcomes',
  isOne: (value) => hasTexts(value, ['apiVersion', 'kind', 'name', 'outcome']),
};

/** The outcomes in a file, one line after the other. @throws BACKUP_FILE_BROKEN */
export const outcomesIn = (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ItemOutcome> =>
  documentsIn(lines, pieces);
