import { hash } from 'node:crypto';
import { type ItemPlace, parseItemPath, readArchive } from '@lateen/archive';
import { AppError } from '@lateen/errors';
import type { BringArchive } from './bring-archive.ts';
import { type ChangingField, canonicalText, changingFields, comparable } from './comparable-object.ts';

export interface DiffOptions {
  /** Absent: all of {@link changingFields}. */
  ignored?: readonly ChangingField[];
}

/** An object that is in at least one of the backups, and its place. */
export interface ComparedItem extends ItemPlace {
  path: string;
}

/** Each list is sorted by resource, namespace and name. */
export interface ArchiveComparison {
  added: ComparedItem[];
  removed: ComparedItem[];
  /** Objects that differ; `changesOf` tells what has changed in them. */
  changed: ComparedItem[];
  unchanged: number;
}

/** The limit of objects; each takes some 200 bytes of memory here. */
const objectsMax = 5_000_000;

/** 128 bits, so that in practice no two different objects have the same digest. */
const digestChars = 22;

/**
 * Compares two backups object by object. Each archive is read once as a stream; only a digest of each object is kept.
 * @throws AppError DIFF_TOO_LARGE; errors of reading the archives
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

/** Digests by path. When a path occurs twice, the last entry counts, as in an extraction of the archive. */
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

/** The archive repeats each object for each of its versions; only the path without a version is compared. */
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
