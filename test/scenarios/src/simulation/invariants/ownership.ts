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
 * Who may write what (data-movement.md section 3): anybody accepts; the node of the pod prepares; from then on that node
 * writes. What is another node's may be ended, begun anew or concluded only when its time is over.
 */
export const onlyTheOwnerWrites: Invariant = (change, around) => {
  const { before, now, writer } = change;
  if (before === undefined || writer === undefined) return undefined;
  const [from, to] = [phaseIn(before), phaseIn(now)];
  const refused = (why: string) => `${writer.node} wrote ${now.metadata.name} (${from} to ${to}): ${why}`;
  // What is bound to a node is begun by that node, whoever may end it.
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

/** Anybody may pass a deletion on as a cancel. */
const isAskedOnly = (before: Movement, now: Movement): boolean =>
  before.spec.cancel !== true && now.spec.cancel === true && now.metadata.deletionTimestamp !== undefined;

/** The times in the object have whole seconds. */
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
