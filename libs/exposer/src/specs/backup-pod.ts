import { labels, type NodeSelectorTerm, type Pod, type ResourceRequirements, type VolumeMode } from '@lateen/api-types';
import type { ExposeOwner } from '../owner.ts';
import type { BackupVolumePlan } from '../settings/backup-volume-plan.ts';
import type { ExposureSettings } from '../settings/exposure-settings.ts';
import { hostingPod, volumePathOf } from './hosting-pod.ts';
import type { InheritedPodConfig } from './inherited-pod-config.ts';
import { hostingPodAffinity } from './placement.ts';

export interface BackupPodInput {
  owner: ExposeOwner;
  inherited: InheritedPodConfig;
  volumeMode: VolumeMode;
  /** Where the pod may run; none means anywhere. */
  nodeTerms: readonly NodeSelectorTerm[];
  /** A Go duration; DataUpload.spec.operationTimeout. */
  operationTimeout: string;
  resources?: ResourceRequirements | undefined;
  plan: Pick<BackupVolumePlan, 'readOnly' | 'spcNoRelabeling'>;
  settings: ExposureSettings;
}

/** The backupPod of a DataUpload. */
export function backupPod(input: BackupPodInput): Pod {
  const { owner, volumeMode } = input;
  return hostingPod({
    owner,
    group: 'snapshot-exposer',
    ownerLabel: labels.dataUpload,
    inherited: input.inherited,
    args: [
      'backup',
      `--volume-path=${volumePathOf(owner)}`,
      `--volume-mode=${volumeMode}`,
      `--data-upload=${owner.name}`,
      `--resource-timeout=${input.operationTimeout}`,
    ],
    volumeMode,
    affinity: hostingPodAffinity(input.nodeTerms),
    resources: input.resources,
    readOnly: input.plan.readOnly,
    spcNoRelabeling: input.plan.spcNoRelabeling,
    settings: input.settings,
  });
}
