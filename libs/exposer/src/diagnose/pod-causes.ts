import type { Pod } from '@lateen/api-types';
import { type PodVolumeSettings, podVolumeDefaults } from '../settings/exposure-settings.ts';
import type { ExposureSeen } from './exposure-seen.ts';
import { detail, type Finding, nameOf, oneLine } from './finding.ts';
import { hostingPodFailure } from './hosting-pod-failure.ts';
import { type NextStepTable, nextStepFor } from './next-step-table.ts';
import { eventsAbout, newestTrouble, wordsOf } from './object-events.ts';

/** Reasons that every container passes through; any other reason is a problem. */
const ordinaryWaits: readonly string[] = ['ContainerCreating', 'PodInitializing'];

const inherited = 'hosting pods take environment and volumes over from DaemonSet node-agent';

const startSteps: NextStepTable = [
  [/secret|configmap/i, `Create it, or correct the DaemonSet: ${inherited}.`],
  [/image/i, 'Make the image available on that node, where the node-agent runs it.'],
  [/executable file not found|no such file or directory/i, 'Check the image: it has no data-mover command.'],
  [
    /runAsNonRoot|run as root/i,
    'Data movers run as root: remove runAsNonRoot from the policy or webhook that sets it.',
  ],
  [/^(CreateContainerError|RunContainerError)/, 'Check the container runtime of that node.'],
];

const volumeSteps: NextStepTable = [
  [
    /secret .*not found|configmap .*not found|references non-existent/i,
    `Create it, or correct the DaemonSet: ${inherited}.`,
  ],
  [/serviceaccounts? .*not found/i, 'Create the ServiceAccount again (deploy/base/node-agent).'],
  [/not found in the list of registered CSI drivers/i, "Check that the CSI driver's pod runs on that node."],
  [
    /already mounted or mount point busy|would change RO state/i,
    'This storage does not let two pods of a node mount the volume: set podVolume.access to "host-path" in the node-agent configuration.',
  ],
  [/Multi-Attach/i, 'The volume is attached to another node: see which pod uses it there.'],
  [
    /wrong fs type|bad superblock|bad option|structure needs cleaning|can't read superblock|unknown filesystem/i,
    'Check the file system of the source volume, and that the kernel of the node knows it.',
  ],
  [/NotFound|not found|does not exist/i, 'The volume is gone from the storage: start again.'],
  [/no space left|ResourceExhausted/i, 'Make room on the storage behind the StorageClass.'],
];

/** A message that only says that mounting took too long; the kubelet sends it besides the driver's own error. */
const vagueVolume =
  /^Unable to attach or mount volumes|timed out waiting for the condition|context deadline exceeded|code = (DeadlineExceeded|Aborted|Canceled)\b/i;

/** Reasons that the kubelet reports only after all volumes are mounted. */
const afterMounting: readonly string[] = ['FailedCreatePodSandBox', 'Pulling', 'Pulled', 'Created', 'Started'];

/** The pod will never run, and its status says why. */
export function podCannotRun({ pod, events }: ExposureSeen): Finding | undefined {
  const failure = pod && hostingPodFailure(pod);
  if (pod === undefined || failure === undefined) return undefined;
  return { cause: `${failure.message}${registryWords(pod, failure.message, events)}`, nextStep: failure.nextStep };
}

/** A back-off only names the image; the registry's answer is in an Event of the pull. */
function registryWords(pod: Pod, said: string, events: ExposureSeen['events']): string {
  if (waitOf(pod)?.reason !== 'ImagePullBackOff') return '';
  const pulls = eventsAbout(events, pod).filter(({ message = '' }) => message.startsWith('Failed to pull image'));
  const event = newestTrouble(pulls, { reasons: ['Failed'], overBy: ['Pulled'] });
  return event === undefined || said.includes('ErrImagePull') ? '' : detail(wordsOf(event));
}

/** The kubelet or the attacher cannot attach or mount a volume of the pod. */
export function podCannotMount({ pod, events, podVolume }: ExposureSeen): Finding | undefined {
  if (pod === undefined || !isStarting(pod)) return undefined;
  const told = eventsAbout(events, pod);
  const mounting = newestTrouble(told, {
    reasons: ['FailedMount', 'FailedMapVolume', 'FailedAttachVolume'],
    overBy: afterMounting,
    vague: vagueVolume,
  });
  if (mounting === undefined) return undefined;
  const attached = { reasons: ['FailedAttachVolume'], overBy: ['SuccessfulAttachVolume'] };
  const attaching = newestTrouble(told, attached);
  const isOver = mounting.reason === 'FailedAttachVolume' && attaching === undefined;
  const event = isOver
    ? newestTrouble(told, {
        reasons: ['FailedMount', 'FailedMapVolume'],
        overBy: afterMounting,
        vague: vagueVolume,
      })
    : mounting;
  if (event === undefined) return undefined;
  const words = wordsOf(event);
  const verb = event.reason === 'FailedAttachVolume' ? 'attach' : 'mount';
  return {
    cause: `hosting pod ${nameOf(pod)} cannot ${verb} its volume: ${oneLine(words)}`,
    nextStep: directoryStep(words, podVolume) ?? nextStepFor(volumeSteps, words),
  };
}

/** The directory in the mounts of a pod is only advice: a mount on the node may hide the beginning of its path. */
function directoryStep(words: string, podVolume: PodVolumeSettings = podVolumeDefaults): string | undefined {
  if (!/hostPath type check failed/i.test(words)) return undefined;
  const { kubeletDirectory, seenDirectory } = podVolume;
  const set =
    'The node has no such directory for the pod: set podVolume.kubeletDirectory in the node-agent configuration to the root directory of its kubelet (--root-dir)';
  const isOther = seenDirectory !== undefined && !kubeletDirectory.endsWith(seenDirectory) && seenDirectory !== '/';
  return isOther ? `${set}; by the mounts of the node-agent, that is ${seenDirectory}.` : `${set}.`;
}

/** The container cannot be created: a missing Secret, an image that is not on the node, a refusal of the runtime. */
export function containerCannotStart({ pod }: ExposureSeen): Finding | undefined {
  const wait = pod && waitOf(pod);
  if (pod === undefined || wait?.reason === undefined || ordinaryWaits.includes(wait.reason)) return undefined;
  return {
    cause: `hosting pod ${nameOf(pod)} cannot start: ${wait.reason}${detail(wait.message)}`,
    nextStep: nextStepFor(startSteps, `${wait.reason} ${wait.message ?? ''}`),
  };
}

/** The node cannot create the pod's sandbox: its network, its cgroup. */
export function sandboxCannotBeMade({ pod, events }: ExposureSeen): Finding | undefined {
  if (pod === undefined || !isStarting(pod)) return undefined;
  const event = newestTrouble(eventsAbout(events, pod), {
    reasons: ['FailedCreatePodSandBox', 'FailedCreatePodContainer', 'NetworkNotReady'],
    overBy: ['Created', 'Started'],
  });
  if (event === undefined) return undefined;
  return {
    cause: `hosting pod ${nameOf(pod)} cannot start: ${oneLine(wordsOf(event))}`,
    nextStep: `Check the network plugin and the container runtime of node ${pod.spec.nodeName ?? '(none)'}.`,
  };
}

/** No problem is reported; the pod does not run yet. */
export function podIsPending({ pod }: ExposureSeen): Finding | undefined {
  if (pod === undefined || !isStarting(pod)) return undefined;
  if (pod.metadata.deletionTimestamp !== undefined)
    return { cause: `hosting pod ${nameOf(pod)} is being deleted`, nextStep: 'Find out who deletes pods there.' };
  const node = pod.spec.nodeName ?? '';
  if (node === '') return undefined;
  return {
    cause: `hosting pod ${nameOf(pod)} is being started on node ${node}`,
    nextStep: `Check the kubelet and the CSI driver of node ${node} if this takes long.`,
  };
}

function isStarting(pod: Pod): boolean {
  const phase = pod.status?.phase ?? 'Pending';
  return phase === 'Pending';
}

function waitOf(pod: Pod) {
  return pod.status?.containerStatuses?.[0]?.state?.waiting;
}
