import { execa } from 'execa';
import type { LeakSearch } from './leak-search.ts';

/** A folder whose files are searched. */
export interface SearchedTree {
  root: string;
  /** Patterns of `find -path`, relative to the root, with the reason. */
  exempt?: Readonly<Record<string, string>>;
}

/** Limit of a list of names; a longer one would mean that the tree is wrong. */
const listBytesMax = 256 * 1024 * 1024;
/** The clocks of the kernel and the file systems may differ by less than this. */
const clockErrorMs = 2_000;

/**
 * Searches all files below a folder that were created or changed since then: names, content and link targets. Uses the time of the last
 * inode change, which no program can set, because restored files have their old times.
 */
export async function searchChangedFiles(
  trees: readonly SearchedTree[],
  search: LeakSearch,
  sinceMs: number,
): Promise<void> {
  for (const tree of trees) {
    for (const { type, path, target } of await changedBelow(tree, sinceMs)) {
      if (type === 'f') await search.file('file', Buffer.from(path, 'latin1'));
      else search.text('file', path, `${path} ${target}`);
    }
  }
}

/** Paths of the regular files only. */
export async function filesBelow(tree: SearchedTree): Promise<string[]> {
  const all = await changedBelow(tree, clockErrorMs);
  return all.filter(({ type }) => type === 'f').map(({ path }) => Buffer.from(path, 'latin1').toString());
}

/** Each byte of a name is decoded to one character, because names of files need not be UTF-8. */
async function changedBelow({ root, exempt = {} }: SearchedTree, sinceMs: number) {
  const pruned = Object.keys(exempt).flatMap((path) => ['-path', `${root}${path}`, '-prune', '-o']);
  const newer = ['-newerct', `@${(sinceMs - clockErrorMs) / 1000}`];
  const found = await execa('find', [`${root}/`, ...pruned, ...newer, '-printf', '%y\\0%p\\0%l\\0'], {
    encoding: 'latin1',
    maxBuffer: listBytesMax,
    stripFinalNewline: false,
    reject: false,
  });
  // 1: something was deleted while it was being listed.
  if (found.exitCode !== 0 && found.exitCode !== 1)
    throw new Error(`find ended with ${found.exitCode}: ${found.stderr}`);
  const fields = found.stdout.split('\0');
  return Array.from({ length: Math.floor(fields.length / 3) }, (_, at) => {
    const [type = '', path = '', target = ''] = fields.slice(3 * at, 3 * at + 3);
    return { type, path, target };
  });
}
