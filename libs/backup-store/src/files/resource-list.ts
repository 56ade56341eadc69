import { stringify } from '@lateen/kube';
import { listOf, mapOf, text } from '../json/go-type.ts';
import { jsonFile } from '../json/json-file.ts';

/** apiVersion and kind (`v1/Pod`) to sorted `namespace/name`, or `name` for cluster-scoped objects (section 5.3). */
export type ResourceList = Record<string, string[]>;

/** One key of it, in a form that need not be in memory whole. */
export type ResourceListEntry = readonly [gvk: string, places: Iterable<string>];

export const resourceListFile = jsonFile<ResourceList>('the resource list', mapOf(listOf(text)), () => ({}));

/** A text is passed on when it has this many characters. */
const pieceChars = 64 * 1024;

/** The text of a list, in pieces. Keys and places are written in the order of input: the caller sorts them. */
export async function* resourceListText(
  entries: AsyncIterable<ResourceListEntry> | Iterable<ResourceListEntry>,
): AsyncGenerator<string> {
  let held = '{';
  let first = true;
  for await (const [gvk, places] of entries) {
    held += `${first ? '' : ','}${stringify(gvk)}:`;
    first = false;
    let some = false;
    for (const place of places) {
      held += `${some ? ',' : '['}${stringify(place)}`;
      some = true;
      if (held.length < pieceChars) continue;
      yield held;
      held = '';
    }
    held += some ? ']' : 'null';
  }
  yield `${held}}\n`;
}

type ResourceListInput = AsyncIterable<ResourceListEntry> | Iterable<ResourceListEntry> | ResourceList;

/** A whole list in the order of Go; anything else as it comes. */
export const entriesOf = (list: ResourceListInput): AsyncIterable<ResourceListEntry> | Iterable<ResourceListEntry> =>
  isPieces(list)
    ? list
    : Object.entries(list)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([gvk, places]) => [gvk, places.toSorted()] as const);

const isPieces = (list: ResourceListInput): list is AsyncIterable<ResourceListEntry> | Iterable<ResourceListEntry> =>
  Symbol.asyncIterator in list || Symbol.iterator in list;
