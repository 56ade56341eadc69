import { labels, type Pod, type ResourceRequirements } from '@lateen/api-types';
import type { ExposeOwner } from '../owner.ts';
import type { PodVolumeExposeParam } from '../pod-volume/pod-volume-expose-param.ts';
import type { ExposureSettings } from '../settings/exposure-settings.ts';
import { hostingPod, volumePathOf } from './hosting-pod.ts';
import type { InheritedPodConfig } from './inherited-pod-config.ts';

export interface PodVolumePodInput {
  owner: ExposeOwner;
  inherited: InheritedPodConfig;
  param: PodVolumeExposeParam;
  /** The pod whose volume it is. */
  clientPod: Pod;
  /** The directory of the volume on the node; absent means that the pod mounts the claim of the owner's name. */
  hostPath: string | undefined;
  resources?: ResourceRequirements | undefined;
  /** The engine's cache is on a volume of its own. */
  cacheVolume: boolean;
  settings: ExposureSettings;
}

const words = {
  backup: { ownerLabel: labels.podVolumeBackup, flag: '--pod-volume-backup' },
  restore: { ownerLabel: labels.podVolumeRestore, flag: '--pod-volume-restore' },
} as const;

/**
 * The hosting pod of a PodVolumeBackup or PodVolumeRestore (data-movement.md section 6). It runs on the node of the client pod
 * and tolerates every taint of that node, because it can run nowhere else.
 */
export function podVolumePod(input: PodVolumePodInput): Pod {
  const { owner, param, clientPod, settings } = input;
  const { direction } = param;
  return hostingPod({
    owner,
    group: 'pod-volume-exposer',
    ownerLabel: words[direction].ownerLabel,
    inherited: input.inherited,
    args: [
      'pod-volume',
      direction,
      `--volume-path=${volumePathOf(owner)}`,
      `${words[direction].flag}=${owner.name}`,
      `--resource-timeout=${param.operationTimeout}`,
    ],
    volumeMode: 'Filesystem',
    nodeName: param.node,
    tolerations: clientPod.spec.tolerations ?? [],
    hostPath: input.hostPath,
    readOnly: direction === 'backup',
    writableRoot: direction === 'restore',
    privileged: settings.privilegedFsBackup === true,
    seLinuxLevel: seLinuxLevelOf(clientPod),
    resources: input.resources,
    cacheVolume: input.cacheVolume,
    settings,
  });
}

/** The SELinux level of the whole pod, or of one of its containers; absent when the runtime chooses one. */
function seLinuxLevelOf({ spec }: Pod): string | undefined {
  const contexts = [spec.securityContext, ...spec.containers.map(({ securityContext }) => securityContext)];
  return contexts.map((context) => context?.seLinuxOptions?.level).find((level) => level !== undefined && level !== '');
}
