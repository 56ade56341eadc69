import type { Container, Node, Toleration } from '@lateen/api-types';
import { parseQuantity } from '@lateen/kube';
import type { LonghornNode } from '@lateen/storage-types';
import type { Settings } from '@lateen/volume-decisions';

/** What settings and the node specify for the pod of an instance manager. */
export interface PodSettings {
  readonly tolerations: readonly Toleration[];
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** "" for none. */
  readonly priorityClass: string;
  readonly imagePullPolicy: NonNullable<Container['imagePullPolicy']>;
  /** Secret for the registry of the image; "" for none. */
  readonly registrySecret: string;
  /** Thousandths of a CPU; 0 means no request. */
  readonly cpuRequestMilli: number;
  /** A directory of the node that becomes its first disk. */
  readonly defaultDataPath: string;
}

export function podSettingsOf(
  settings: Settings,
  node: Pick<LonghornNode, 'spec'> | undefined,
  kubernetesNode: Pick<Node, 'status'> | undefined,
): PodSettings {
  return {
    tolerations: tolerationsIn(settings.text('taint-toleration')),
    nodeSelector: nodeSelectorIn(settings.text('system-managed-components-node-selector')),
    priorityClass: settings.text('priority-class'),
    imagePullPolicy: pullPolicies[settings.text('system-managed-pods-image-pull-policy')] ?? 'IfNotPresent',
    registrySecret: settings.text('registry-secret'),
    cpuRequestMilli: cpuRequestMilli(settings, node, kubernetesNode),
    defaultDataPath: settings.text('default-data-path'),
  };
}

const pullPolicies: Readonly<Record<string, Container['imagePullPolicy']>> = {
  'if-not-present': 'IfNotPresent',
  always: 'Always',
  never: 'Never',
};

/** Parts of a list that semicolons separate. */
const partsOf = (list: string): string[] =>
  list
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** `key=value:effect`, `key:effect`; an empty key tolerates every taint, an empty effect all of them. */
export function tolerationsIn(text: string): Toleration[] {
  return partsOf(text).map((part) => {
    const [taint = '', effect = ''] = part.split(':').map((each) => each.trim());
    const [key = '', value] = taint.split('=').map((each) => each.trim());
    return {
      ...(key === '' ? {} : { key }),
      ...(value === undefined ? { operator: 'Exists' } : { operator: 'Equal', value }),
      ...(effect === '' ? {} : { effect: effect as NonNullable<Toleration['effect']> }),
    };
  });
}

/** `key:value;key:value`. */
export function nodeSelectorIn(text: string): Record<string, string> {
  return Object.fromEntries(
    partsOf(text).map((part) => {
      const at = part.indexOf(':');
      return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    }),
  );
}

/** The node's own value, else the share of its CPUs that the setting specifies, rounded up. */
function cpuRequestMilli(
  settings: Settings,
  node: Pick<LonghornNode, 'spec'> | undefined,
  kubernetesNode: Pick<Node, 'status'> | undefined,
): number {
  const own = node?.spec.instanceManagerCPURequest ?? 0;
  if (own > 0) return own;
  const cpu = parseQuantity(kubernetesNode?.status?.allocatable?.cpu ?? '');
  if (cpu === undefined) return 0;
  const milli = Number(cpu.mantissa) * 10 ** (cpu.exponent + 3);
  return Math.ceil((milli * settings.number('guaranteed-instance-manager-cpu')) / 100);
}
