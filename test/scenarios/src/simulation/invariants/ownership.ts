import {
  type Invariant,
  isOfPod,
  type Movement,
  type Observed,
  ownerIn,
  phaseIn,
  type Surroundings,
} from './observed.ts';

/**
 * Who may write what (data-movement.md section 3): any node accepts; the node of the pod prepares; from then on that node writes. Another
 * node may end, restart or conclude a movement only after a time limit.
 */
export const onlyTheOwnerWrites: Invariant = (change, around) => {
  const { before, now, writer } = change;
  if (before === undefined || writer === undefined) return undefined;
  const [from, to] = [phaseIn(before), phaseIn(now)];
  const refused = (why: string) => `${writer.node} wrote ${now.metadata.name} (${from} to ${to}): ${why}`;
  // A movement of a volume that is bound to a node is started by that node; others may only end it.
  if (from === 'New' && to === 'Accepted' && isOfPod(now) && ownerIn(now) !== writer.node)
    return refused(`the volume is on ${ownerIn(now)}`);
  if (from === 'New') return undefined;
  if (from === 'Accepted' && to === 'Prepared') {
    const wrong = ownerIn(now) !== writer.node;
    return wrong ? refused(`it says that the pod runs on ${ownerIn(now)}`) : undefined;
  }
  const owner = ownerIn(before);
  if (owner === undefined || owner === writer.node) return undefined;
  if (from === to && !takesFinalizer(before, now) && isAskedOnly(before, now)) return undefined;
  return mayTakeOver(change, around, owner) ? undefined : refused(`it belongs to ${owner}`);
};

const takesFinalizer = (before: Movement, now: Movement): boolean =>
  (now.metadata.finalizers?.length ?? 0) < (before.metadata.finalizers?.length ?? 0);

/** Any node may turn a deletion into a cancel. */
const isAskedOnly = (before: Movement, now: Movement): boolean =>
  before.spec.cancel !== true && now.spec.cancel === true && now.metadata.deletionTimestamp !== undefined;

/** Times in the object are rounded to seconds. */
const roundingMs = 1_000;

function mayTakeOver({ before, nowMs }: Observed, around: Surroundings, owner: string): boolean {
  const { limits } = around;
  const since = (at: string | null | undefined): number => nowMs + roundingMs - Date.parse(at ?? '');
  if (around.believedAwayMs(owner) >= limits.agentLostMs) return true;
  if (before === undefined) return false;
  const phase = phaseIn(before);
  if (before.spec.cancel === true && !before.status?.completionTimestamp) {
    const seen = around.canceledSinceMs(before.metadata.uid ?? '');
    return seen !== undefined && nowMs - seen >= limits.cancelForAnotherMs;
  }
  if (phase === 'Accepted')
    return since(before.status?.acceptedTimestamp) >= limits.prepareTimeoutMs + limits.anotherNodeGraceMs;
  return since(before.status?.completionTimestamp) >= limits.anotherNodeGraceMs;
}
