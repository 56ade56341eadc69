import { readArchive } from '@lateen/archive';
import type { BringArchive } from './bring-archive.ts';
import { changingFields, comparable } from './comparable-object.ts';
import type { ComparedItem, DiffOptions } from './compare-archives.ts';
import type { FieldChange } from './field-change.ts';
import { fieldChanges } from './field-changes.ts';
import { withoutSecrets } from './without-secrets.ts';

export interface ChangedItem {
  item: ComparedItem;
  changes: FieldChange[];
}

export interface ChangesOptions extends DiffOptions {
  /** How many bytes of one backup are in memory at the same time; more objects need another pass over both archives. */
  heldBytesMax?: number;
}

const heldBytesMaxDefault = 128 * 1024 * 1024;

/**
 * Returns the changes of each item; items that are read in one pass keep their order. Values of Secrets are not shown.
 * @throws errors of reading the archives
 */
export async function* changesOf(
  before: BringArchive,
  after: BringArchive,
  items: readonly ComparedItem[],
  { ignored = changingFields, heldBytesMax = heldBytesMaxDefault }: ChangesOptions,
  signal: AbortSignal,
): AsyncGenerator<ChangedItem> {
  let left = [...items];
  while (left.length > 0) {
    const now = await bodiesOf(after, new Set(left.map(({ path }) => path)), heldBytesMax, signal);
    const old = await bodiesOf(before, new Set(now.keys()), heldBytesMax, signal);
    const done = left.filter(({ path }) => old.has(path));
    for (const item of done) {
      const [was, is] = [old, now].map((bodies) => comparable(bodies.get(item.path) ?? new Uint8Array(), ignored));
      yield { item, changes: withoutSecrets(item, fieldChanges(was, is)) };
    }
    // An archive that was replaced meanwhile may lack some items.
    if (done.length === 0) return;
    left = left.filter(({ path }) => !old.has(path));
  }
}

async function bodiesOf(
  bring: BringArchive,
  wanted: ReadonlySet<string>,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Map<string, Uint8Array>> {
  return await bring(async (pieces) => {
    const bodies = new Map<string, Uint8Array>();
    let bytes = 0;
    for await (const { path, body } of readArchive(pieces, { signal })) {
      if (!wanted.has(path) || (bytes >= bytesMax && !bodies.has(path))) continue;
      // A copy, because a view would keep the whole buffer in memory.
      bodies.set(path, Uint8Array.from(body));
      bytes += body.length;
    }
    return bodies;
  });
}
