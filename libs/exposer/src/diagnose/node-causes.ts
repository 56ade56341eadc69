import type { ExposureSeen, NodeSeen } from './exposure-seen.ts';
import { detail, type Finding, nameOf } from './finding.ts';

/** The node of the pod, or the node on which its volume has to be made, is not ready. */
export function nodeIsNotReady({ pod, claim, node }: ExposureSeen): Finding | undefined {
  const why = node && whyNotReady(node);
  if (why === undefined) return undefined;
  if (pod !== undefined && (pod.spec.nodeName ?? '') !== '')
    return { ...why, cause: `hosting pod ${nameOf(pod)} does not start: ${why.cause}` };
  if (claim === undefined || claim.status?.phase === 'Bound') return undefined;
  return { ...why, cause: `PersistentVolumeClaim ${nameOf(claim)} has no volume yet: ${why.cause}` };
}

function whyNotReady({ name, node }: NodeSeen): Finding | undefined {
  if (node === undefined)
    return {
      cause: `node ${name} is not there any more`,
      nextStep: 'Start again: it is then prepared on another node.',
    };
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'True') return undefined;
  return {
    cause: `node ${name} is not ready${detail(ready.message ?? ready.reason)}`,
    nextStep: `Check node ${name} and its kubelet.`,
  };
}
