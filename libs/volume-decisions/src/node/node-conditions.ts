import type { Node } from '@lateen/api-types';
import type { LonghornNode, NodeConditionType } from '@lateen/storage-types';
import type { StatedCondition } from '../conditions/with-condition.ts';
import { nameOf } from '../volume/replica-facts.ts';
import type { NodeSeen } from './node-seen.ts';

type Stated = Omit<StatedCondition, 'type'>;

const met = (message = ''): Stated => ({ status: 'True', reason: '', message });
const unmet = (reason: string, message: string): Stated => ({ status: 'False', reason, message });

/** Whether volumes of a node can be processed. Undefined while this is not known: the last condition is kept. */
export function readyCondition({ node, kubernetesNode, managerIsUp }: NodeSeen): Stated | undefined {
  const name = nameOf(node);
  if (kubernetesNode === undefined)
    return unmet('KubernetesNodeGone', `Kubernetes node missing: node ${name} has been removed from the cluster`);
  const ready = kubernetesNode.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') {
    const why = ready?.message || ready?.reason || 'its kubelet has not reported it';
    return unmet('KubernetesNodeNotReady', `Kubernetes node ${name} not ready: ${why}`);
  }
  if (managerIsUp === 'no')
    return unmet('ManagerPodDown', `Manager pod down: the volume manager of node ${name} does not renew its lease`);
  return managerIsUp === 'yes' ? met(`Node ${name} is ready`) : undefined;
}

/** The conditions of a Kubernetes node during which its pods are evicted. */
const pressures = ['DiskPressure', 'MemoryPressure', 'PIDPressure', 'NetworkUnavailable'];

export function pressureOfNode(kubernetesNode: Node | undefined): string | undefined {
  return kubernetesNode?.status?.conditions?.find(({ type, status }) => pressures.includes(type) && status === 'True')
    ?.type;
}

/** Whether new replicas may be placed. Pressure prevents only that; running replicas continue. */
export function schedulableCondition({ node, kubernetesNode, settings }: NodeSeen): Stated {
  const name = nameOf(node);
  if (kubernetesNode?.spec?.unschedulable === true && settings.flag('disable-scheduling-on-cordoned-node'))
    return unmet('KubernetesNodeCordoned', `Node ${name} is cordoned`);
  const pressure = pressureOfNode(kubernetesNode);
  return pressure === undefined
    ? met()
    : unmet('KubernetesNodePressure', `Kubernetes node ${name} has pressure: ${pressure}`);
}

/** Probes of the instance manager (`HostInfo.probes`) that are reported as conditions: type, and reason when the probe fails. */
export const probeConditions: Readonly<
  Record<string, { readonly type: NodeConditionType; readonly reason: string } | undefined>
> = {
  'mount-propagation': { type: 'MountPropagation', reason: 'NoMountPropagationSupport' },
  packages: { type: 'RequiredPackages', reason: 'PackagesNotInstalled' },
  'kernel-modules': { type: 'KernelModulesLoaded', reason: 'KernelModulesNotLoaded' },
  multipathd: { type: 'Multipathd', reason: 'MultipathdIsRunning' },
};

/** The conditions that its instance manager reports; the others keep their last value. */
export function probedConditions({ host }: NodeSeen): StatedCondition[] {
  return (host?.probes ?? []).flatMap(({ name, ok, message, nextStep }) => {
    const known = Object.hasOwn(probeConditions, name) ? probeConditions[name] : undefined;
    if (known === undefined) return [];
    const text = nextStep === undefined ? message : `${message}; ${nextStep}`;
    return [{ type: known.type, ...(ok ? met(message) : unmet(known.reason, text)) }];
  });
}

export const conditionOf = (node: Pick<LonghornNode, 'status'>, type: NodeConditionType) =>
  node.status?.conditions?.find((each) => each.type === type);
