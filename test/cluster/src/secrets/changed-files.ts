import { execa } from 'execa';
import type { LeakSearch } from './leak-search.ts';

/** A folder whose files are searched. */
export interface SearchedTree {
  root: string;
  /** Patterns of `find -path`, beginning at the root, with the reason. */
  exempt?: Readonly<Record<string, string>>;
}

/** A list of names; more of them would say that the tree is a wrong one. */
const listBytesMax = 256 * 1024 * 1024;
/** Below this the kernel's and the file systems' clocks may differ. */
const clockErrorMs = 2_000;

/**
 * Searches everything below that was made or changed since then: names, content, and where links point. By the time of the
 * last change of the inode, which no program can set: restored files are as old as they were.
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

/** Paths of the files alone. */
export async function filesBelow(tree: SearchedTree): Promise<string[]> {
  const all = await changedBelow(tree, clockErrorMs);
  return all.filter(({ type }) => type === 'f').map(({ path }) => Buffer.from(path, 'latin1').toString());
}

/** Each byte of a name is one character: names of files need not be UTF-8. */
async function changedBelow({ root, exempt = {} }: SearchedTree, sinceMs: number) {
  const pruned = Object.keys(exempt).flatMap((path) => ['-path', `${root}${path}`, '-prune', '-o']);
  const newer = ['-newerct', `@${(sinceMs - clockErrorMs) / 1000}`];
  const found = await execa('find', [`${root}/`, ...pruned, ...newer, '-printf', '%y\\0%p\\0%l\\0'], {
    encoding: 'latin1',
    maxBuffer: listBytesMax,
    stripFinalNewline: false,
    reject: false,
  });
  // 1: something went away while it was being listed.
  if (found.exitCode !== 0 && found.exitCode !== 1)
    throw new Error(`find ended with ${found.exitCode}: ${found.stderr}`);
  const fields = found.stdout.split('\0');
  return Array.from({ length: Math.floor(fields.length / 3) }, (_, at) => {
    const [type = '', path = '', target = ''] = fields.slice(3 * at, 3 * at + 3);
    return { type, path, target };
  });
}
