import type { Movement, MovementKind } from '../kinds/movement-kind.ts';
import { runsOn } from '../kinds/ownership.ts';
import { isHeld } from '../status/write-movement.ts';
import type { Seen } from './seen.ts';

export type KindFacts = Pick<
  Seen,
  'words' | 'shortWords' | 'rank' | 'owner' | 'isBound' | 'runsHere' | 'held' | 'isForAnother'
>;

/** The facts about a movement that depend on its kind, for a decision on this node. */
export function kindFacts<T extends Movement>(kind: MovementKind<T>, object: T, node: string): KindFacts {
  return {
    words: kind.words,
    shortWords: kind.shortWords,
    rank: kind.rank,
    owner: kind.owner.nodeOf(object),
    isBound: kind.owner.isBound,
    runsHere: runsOn(node, kind.owner, object),
    held: isHeld(kind, object),
    isForAnother: kind.isForAnother(object),
  };
}
