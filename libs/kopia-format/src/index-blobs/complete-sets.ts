import { type ListedBlob, wholeNumber } from './listed-blob.ts';

/** `<any>-s<set>-c<count>`: one of `<count>` blobs that are valid only together. Anything else is a set of its own. */
export function completeSets(blobs: readonly ListedBlob[]): ListedBlob[][] {
  const sets = new Map<string, ListedBlob[]>();
  const complete: ListedBlob[][] = [];
  for (const blob of blobs) {
    const [, set = '', count = ''] = blob.blobId.split('-');
    const members = set.startsWith('s') && count.startsWith('c') ? wholeNumber(count.slice(1)) : undefined;
    if (members === undefined) {
      complete.push([blob]);
      continue;
    }
    const found = [...(sets.get(set) ?? []), blob];
    sets.set(set, found);
    if (found.length === members) complete.push(found);
  }
  return complete;
}
