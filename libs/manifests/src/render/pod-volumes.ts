import type { Unstructured } from '@lateen/kube';
import type { ExtraArgs } from './render-options.ts';

interface Rule {
  resources: readonly string[];
}

/** Rules of the node-agent that only pod volumes need, by the kind of role; deploy/base gives them rules of their own. */
const resourcesOfPodVolumes: Readonly<Record<string, ReadonlySet<string>>> = {
  Role: new Set(['podvolumebackups', 'podvolumerestores']),
  ClusterRole: new Set(['pods']),
};

const levelLabels = ['pod-security.kubernetes.io/enforce', 'pod-security.kubernetes.io/warn'] as const;

/** What tells controller and node-agent; before the other arguments of the installation. */
export const argsWithoutPodVolumes: ExtraArgs = {
  'lateen-controller': ['--use-pod-volumes=false'],
  'node-agent': ['--use-pod-volumes=false'],
};

/**
 * The object as it is where pod volumes are switched off: without the rights for them, and the namespace under the level
 * that forbids paths of the host. By the names of deploy/base.
 */
export function withoutPodVolumes(object: Unstructured): Unstructured {
  const { kind, metadata } = object;
  if (kind === 'Namespace' && metadata.name === 'velero') {
    const level = Object.fromEntries(levelLabels.map((label) => [label, 'baseline']));
    return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...level } } };
  }
  const only = resourcesOfPodVolumes[kind];
  if (only === undefined || metadata.name !== 'lateen-node-agent') return object;
  const rules = (object.rules as Rule[]).filter(({ resources }) => !resources.every((each) => only.has(each)));
  return { ...object, rules };
}
