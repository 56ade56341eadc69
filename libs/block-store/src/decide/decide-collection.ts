import type { HashSet } from './hash-set.ts';

/** What is known of the remaining backups of a volume when blocks are to be deleted. */
export interface CollectionSeen {
  /** Backups by name as they were listed before their files were read. */
  readonly listed: readonly string[];
  /** The same list once more, after that. */
  readonly listedAgain: readonly string[];
  /** Backups whose files cannot be read, with what is wrong. */
  readonly unreadable: readonly { readonly name: string; readonly why: string }[];
  readonly inProgress: readonly string[];
  /** Different blocks that they name, and how many may be counted at a time. */
  readonly blocksNamed: number;
  readonly blocksNamedMax: number;
}

/** Nothing is deleted while one of these is so: what a backup names that nobody could read would be lost. */
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

/** Those of `stored` that no remaining backup names. */
export function* unreferenced(stored: Iterable<string>, referenced: HashSet): Generator<string> {
  for (const hash of stored) if (!referenced.has(Buffer.from(hash, 'hex'))) yield hash;
}
