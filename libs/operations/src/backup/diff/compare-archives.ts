import { hash } from 'node:crypto';
import { type ItemPlace, parseItemPath, readArchive } from '@lateen/archive';
import { AppError } from '@lateen/errors';
import type { BringArchive } from './bring-archive.ts';
import { type ChangingField, canonicalText, changingFields, comparable } from './comparable-object.ts';

export interface DiffOptions {
  /** All of {@link changingFields} when absent. */
  ignored?: readonly ChangingField[];
}

/** An object that is in one of the backups at least, and where. */
export interface ComparedItem extends ItemPlace {
  path: string;
}

/** Each sorted by resource, namespace and name. */
export interface ArchiveComparison {
  added: ComparedItem[];
  removed: ComparedItem[];
  /** What has changed in them is told by `changesOf`. */
  changed: ComparedItem[];
  unchanged: number;
}

/** Each takes some 200 bytes here. */
const objectsMax = 5_000_000;

/** 128 bits: no two objects of anybody's cluster have the same. */
const digestChars = 22;

/**
 * Compares two backups object by object, reading each archive once as a stream; of an object no more than a digest is held.
 * @throws AppError DIFF_TOO_LARGE, what reading the archives throws
 */
export async function compareArchives(
  before: BringArchive,
  after: BringArchive,
  options: DiffOptions,
  signal: AbortSignal,
): Promise<ArchiveComparison> {
  const [old, now] = [await digestsOf(before, options, signal), await digestsOf(after, options, signal)];
  const both = [...now.keys()].filter((path) => old.has(path));
  const changed = both.filter((path) => old.get(path) !== now.get(path));
  return {
    added: itemsOf([...now.keys()].filter((path) => !old.has(path))),
    removed: itemsOf([...old.keys()].filter((path) => !now.has(path))),
    changed: itemsOf(changed),
    unchanged: both.length - changed.length,
  };
}

/** By path. The last one wins where a path comes twice, as it does when an archive is extracted. */
async function digestsOf(
  bring: BringArchive,
  { ignored = changingFields }: DiffOptions,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  return await bring(async (pieces) => {
    const digests = new Map<string, string>();
    for await (const { path, body } of readArchive(pieces, { signal })) {
      if (!isCompared(path)) continue;
      digests.set(path, hash('sha256', canonicalText(comparable(body, ignored)), 'base64').slice(0, digestChars));
      if (digests.size > objectsMax) {
        throw new AppError('DIFF_TOO_LARGE', `a backup of more than ${objectsMax} objects cannot be compared`);
      }
    }
    return digests;
  });
}

/** Each object is in the archive once more for each of its versions; the path without one is enough. */
const isCompared = (path: string): boolean => {
  const item = parseItemPath(path);
  return item !== undefined && item.version === undefined;
};

function itemsOf(paths: readonly string[]): ComparedItem[] {
  const items = paths.flatMap((path): ComparedItem[] => {
    const item = parseItemPath(path);
    return item === undefined ? [] : [{ ...item, path }];
  });
  const order = ({ groupResource, namespace = '', name }: ComparedItem) => [groupResource, namespace, name];
  return items.sort((a, b) => compareTexts(order(a), order(b)));
}

function compareTexts(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((text, index) => text !== b[index]);
  return at < 0 ? 0 : (a[at] ?? '') < (b[at] ?? '') ? -1 : 1;
}
