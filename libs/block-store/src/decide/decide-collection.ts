import type { HashSet } from './hash-set.ts';

/** What is known of the remaining backups of a volume before blocks are deleted. */
export interface CollectionSeen {
  /** Names of the backups, listed before their files were read. */
  readonly listed: readonly string[];
  /** The same list, read again after that. */
  readonly listedAgain: readonly string[];
  /** Backups whose files cannot be read, with what is wrong. */
  readonly unreadable: readonly { readonly name: string; readonly why: string }[];
  readonly inProgress: readonly string[];
  /** Different blocks that they name, and the limit of that count. */
  readonly blocksNamed: number;
  readonly blocksNamedMax: number;
}

/** While one of these is true nothing is deleted: blocks of a backup that could not be read would be lost. */
export type KeptBecause =
  | { readonly reason: 'backup-unreadable'; readonly backup: string; readonly why: string }
  | { readonly reason: 'backup-in-progress'; readonly backup: string }
  | { readonly reason: 'backups-changed' }
  | { readonly reason: 'volume-unreadable'; readonly volume: string }
  | { readonly reason: 'too-many-blocks'; readonly blocks: number };

export function decideCollection(seen: CollectionSeen): 'collect' | KeptBecause {
  const [unreadable] = seen.unreadable;
  if (unreadable !== undefined) return { reason: 'backup-unreadable', backup: unreadable.name, why: unreadable.why };
  const [inProgress] = seen.inProgress;
  if (inProgress !== undefined) return { reason: 'backup-in-progress', backup: inProgress };
  const isSame =
    seen.listed.length === seen.listedAgain.length && seen.listed.every((name, at) => name === seen.listedAgain[at]);
  if (!isSame) return { reason: 'backups-changed' };
  if (seen.blocksNamed > seen.blocksNamedMax) return { reason: 'too-many-blocks', blocks: seen.blocksNamed };
  return 'collect';
}

/** The blocks of `stored` that no remaining backup names. */
export function* unreferenced(stored: Iterable<string>, referenced: HashSet): Generator<string> {
  for (const hash of stored) if (!referenced.has(Buffer.from(hash, 'hex'))) yield hash;
}
