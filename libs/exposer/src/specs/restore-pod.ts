import { labels, type NodeSelectorTerm, type Pod, type ResourceRequirements, type VolumeMode } from '@lateen/api-types';
import type { ExposeOwner } from '../owner.ts';
import type { ExposureSettings } from '../settings/exposure-settings.ts';
import { hostingPod, volumePathOf } from './hosting-pod.ts';
import type { InheritedPodConfig } from './inherited-pod-config.ts';
import { hostingPodAffinity } from './placement.ts';

export interface RestorePodInput {
  owner: ExposeOwner;
  inherited: InheritedPodConfig;
  volumeMode: VolumeMode;
  /** The node the target claim's consumer was scheduled to; absent when the class binds at once. */
  selectedNode: string | undefined;
  /** Where the pod may run when no node is selected; none means anywhere. */
  nodeTerms: readonly NodeSelectorTerm[];
  /** A Go duration; DataDownload.spec.operationTimeout. */
  operationTimeout: string;
  resources?: ResourceRequirements | undefined;
  /** The engine's cache is on a volume of its own. */
  cacheVolume: boolean;
  settings: ExposureSettings;
}

/**
 * The hosting pod of a DataDownload, gated until its volume is bound. A selected node replaces every other placement
 * (data-movement.md section 5).
 */
export function restorePod(input: RestorePodInput): Pod {
  const { owner, volumeMode, selectedNode } = input;
  return hostingPod({
    owner,
    group: 'generic-restore-exposer',
    ownerLabel: labels.dataDownload,
    inherited: input.inherited,
    args: [
      'restore',
      `--volume-path=${volumePathOf(owner)}`,
      `--volume-mode=${volumeMode}`,
      `--data-download=${owner.name}`,
      `--resource-timeout=${input.operationTimeout}`,
    ],
    volumeMode,
    writableRoot: true,
    gated: true,
    ...(selectedNode === undefined
      ? { affinity: hostingPodAffinity(input.nodeTerms) }
      : { nodeSelector: { 'kubernetes.io/hostname': selectedNode } }),
    resources: input.resources,
    cacheVolume: input.cacheVolume,
    settings: input.settings,
  });
}
