import type { Unstructured } from '@lateen/kube';
import type { ExtraArgs, RenderOptions } from './render-options.ts';

type PodVolumeOptions = Pick<RenderOptions, 'podVolumes' | 'hostPaths' | 'nodes'>;

interface Rule {
  resources: readonly string[];
}

/** Rules of the node-agent that only pod volumes need, by the kind of role; deploy/base gives them rules of their own. */
const resourcesOfPodVolumes: Readonly<Record<string, ReadonlySet<string>>> = {
  Role: new Set(['podvolumebackups', 'podvolumerestores']),
  ClusterRole: new Set(['pods']),
};

const usualKubeletDir = '/var/lib/kubelet';

const levelLabels = ['pod-security.kubernetes.io/enforce', 'pod-security.kubernetes.io/warn'] as const;

/** What tells controller and node-agent of an installation that is not the usual one; before its other arguments. */
export function podVolumeArgs({ podVolumes = true, hostPaths = true, nodes = [] }: PodVolumeOptions): ExtraArgs {
  if (!podVolumes) {
    const off = ['--use-pod-volumes=false'];
    return { 'lateen-controller': off, 'node-agent': off };
  }
  if (!hostPaths) return { 'node-agent': ['--pod-volume-access=claim-only'] };
  // All agents have the same arguments, so this is only for kubelets that are alike.
  const [directory, ...others] = new Set(nodes.map(({ kubeletDir }) => kubeletDir));
  if (directory === undefined || directory === usualKubeletDir || others.length > 0) return {};
  return { 'node-agent': [`--kubelet-root-dir=${directory}`] };
}

/**
 * The object with no more than these options need: without pod volumes no rights for them, and where nothing needs a path of the
 * host, the namespace under the level that forbids it. By the names of deploy/base.
 */
export function forPodVolumes(
  object: Unstructured,
  { podVolumes = true, hostPaths = true }: PodVolumeOptions,
): Unstructured {
  const { kind, metadata } = object;
  if (kind === 'Namespace' && metadata.name === 'velero' && !(podVolumes && hostPaths)) {
    const level = Object.fromEntries(levelLabels.map((label) => [label, 'baseline']));
    return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...level } } };
  }
  const only = resourcesOfPodVolumes[kind];
  if (podVolumes || only === undefined || metadata.name !== 'lateen-node-agent') return object;
  const rules = (object.rules as Rule[]).filter(({ resources }) => !resources.every((each) => only.has(each)));
  return { ...object, rules };
}
