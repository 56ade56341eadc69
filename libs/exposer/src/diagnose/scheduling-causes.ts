import { claimHoldsPodBack } from './claim-causes.ts';
import type { ExposureSeen } from './exposure-seen.ts';
import { type Finding, nameOf, oneLine } from './finding.ts';
import { type NextStepTable, nextStepFor } from './next-step-table.ts';
import { eventsAbout, newestTrouble, wordsOf } from './object-events.ts';

/** Messages of the scheduler's filters (kubernetes, pkg/scheduler/framework/plugins); the rarest and most specific first. */
const nextSteps: NextStepTable = [
  [/persistentvolumeclaim .*not found/i, 'The claim was deleted by somebody else: start again.'],
  [
    /volume node affinity conflict|no available persistent volumes to bind|didn't match PersistentVolume's node affinity/i,
    'The volume can be reached from some nodes only: see that one of them is ready, not cordoned and has room for the pod.',
  ],
  [
    /max volume count|exceed.* volume/i,
    'The node holds as many volumes as its CSI driver allows: let other movements end first.',
  ],
  [/did not have enough free storage/i, 'Make room on the storage of the nodes.'],
  [
    /Insufficient (cpu|memory|ephemeral-storage)/i,
    'Free resources on a node, or request less with podResources in the node-agent configuration.',
  ],
  [/Too many pods/i, 'Let pods of the node end, or raise maxPods of its kubelet.'],
  [/node\.kubernetes\.io\/(not-ready|unreachable)/i, 'A node is not ready: look at its kubelet.'],
  [
    /untolerated taint|had taint/i,
    "Remove the taint from a node that may move data; data movers do not take over the node-agent's tolerations.",
  ],
  [/free ports/i, 'Data movers ask for no host port: see what adds one.'],
  [/were unschedulable/i, 'Uncordon a node with kubectl uncordon.'],
  [
    /didn't match Pod's node affinity|node selector|NodeAffinity/i,
    'Compare loadAffinity in the node-agent configuration with the labels of the nodes.',
  ],
  [/no nodes available/i, 'No node is ready to take pods: look at the nodes.'],
];

/** True when the scheduler's only message is that a claim has no volume. */
const waitsForClaim = /unbound immediate PersistentVolumeClaims|waiting for .* to (be created|bind)/i;

/**
 * Text that the scheduler appends to each answer: that no pod can be evicted for it, that there are no device claims to
 * deallocate, and a "not found" that refers to no object (kube-scheduler 1.34).
 */
const noise = /\s*,?\s*(no new claims to deallocate\b.*|still not schedulable,.*|preemption: .*|(?<=\.) not found)$/is;

/** No node accepts the pod. Not reported while the pod only waits for its volume. */
export function podIsNotScheduled(seen: ExposureSeen): Finding | undefined {
  const { pod } = seen;
  if (pod === undefined || isGated(seen) || (pod.spec.nodeName ?? '') !== '') return undefined;
  const words = schedulerWords(seen);
  if (words === undefined || (waitsForClaim.test(words) && claimHoldsPodBack(seen))) return undefined;
  return {
    cause: `hosting pod ${nameOf(pod)} is not scheduled: ${oneLine(words.replace(noise, ''))}`,
    nextStep: nextStepFor(nextSteps, words),
  };
}

/** The scheduler has not processed the pod at all. */
export function podIsOverlooked(seen: ExposureSeen): Finding | undefined {
  const { pod } = seen;
  if (pod === undefined || isGated(seen) || (pod.spec.nodeName ?? '') !== '') return undefined;
  if (pod.status?.conditions?.some(({ type }) => type === 'PodScheduled') === true) return undefined;
  return {
    cause: `hosting pod ${nameOf(pod)} has no node, and no scheduler has handled it`,
    nextStep: 'Check that kube-scheduler runs.',
  };
}

/** The condition always has the newest message; the Event is used when the condition could not be written. */
function schedulerWords({ pod, events }: ExposureSeen): string | undefined {
  const condition = pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (condition?.status === 'False') return condition.message ?? condition.reason;
  const event = newestTrouble(eventsAbout(events, pod), { reasons: ['FailedScheduling'], overBy: ['Scheduled'] });
  return event && wordsOf(event);
}

/** The pod has our scheduling gate until the volume is bound: a symptom, not a cause. */
function isGated({ pod }: ExposureSeen): boolean {
  const gates = pod?.spec.schedulingGates as readonly unknown[] | undefined;
  const condition = pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return (gates?.length ?? 0) > 0 || condition?.reason === 'SchedulingGated';
}
