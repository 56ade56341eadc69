import { labels, type Pod, type ResourceRequirements, type VolumeMode } from '@lateen/api-types';
import type { ExposeOwner } from '../owner.ts';
import { hostingPod, volumePathOf } from './hosting-pod.ts';
import type { InheritedPodConfig } from './inherited-pod-config.ts';
import { hostingPodAffinity } from './placement.ts';

export interface RestorePodInput {
  owner: ExposeOwner;
  inherited: InheritedPodConfig;
  volumeMode: VolumeMode;
  /** The node the target claim's consumer was scheduled to; absent when the class binds at once. */
  selectedNode: string | undefined;
  /** A Go duration; DataDownload.spec.operationTimeout. */
  operationTimeout: string;
  resources?: ResourceRequirements;
}

/** The restorePod of a DataDownload, gated until its volume is bound. A selected node replaces every other choice of place (data-movement.md section 5). */
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
    gated: true,
    ...(selectedNode === undefined
      ? { affinity: hostingPodAffinity([]) }
      : { nodeSelector: { 'kubernetes.io/hostname': selectedNode } }),
    ...(input.resources === undefined ? {} : { resources: input.resources }),
  });
}
