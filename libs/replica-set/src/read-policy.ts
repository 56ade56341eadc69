import type { Member } from './member.ts';

/**
 * The replica to read from: the one on this node, else the least loaded one; a slow one only when there is no other. Never one that is still being
 * rebuilt. Undefined when there is none.
 */
export function pickReader(members: readonly Member[]): Member | undefined {
  let best: Member | undefined;
  for (const member of members) {
    if (member.mode !== 'RW') continue;
    if (best === undefined || isBetter(member, best)) best = member;
  }
  return best;
}

function isBetter(a: Member, b: Member): boolean {
  if (a.isSuspected !== b.isSuspected) return b.isSuspected;
  if (a.isLocal !== b.isLocal) return a.isLocal;
  return a.load < b.load;
}
