import { labels, type NodeSelectorTerm, type Pod, type ResourceRequirements, type VolumeMode } from '@lateen/api-types';
import type { ExposeOwner } from '../owner.ts';
import type { BackupVolumePlan } from '../settings/backup-volume-plan.ts';
import type { ExposureSettings } from '../settings/exposure-settings.ts';
import { hostingPod, volumePathOf } from './hosting-pod.ts';
import type { InheritedPodConfig } from './inherited-pod-config.ts';
import { hostingPodAffinity } from './placement.ts';

/** What a mover needs to ask for changed blocks. Not known is what the snapshot or the claim does not say: then everything is read. */
export interface ChangesToAsk {
  /** Whose token it shows. */
  serviceAccount: string;
  /** The VolumeSnapshot that is read, in the namespace of the mover. */
  snapshot: string;
  /** What the driver calls the volume that was snapshotted. */
  volumeHandle: string | undefined;
  /** Of the claim that was snapshotted. */
  claimUid: string | undefined;
}

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
  /** Absent: everything is read. */
  changes?: ChangesToAsk | undefined;
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
      ...(input.changes === undefined ? [] : changesArgs(input.changes)),
    ],
    volumeMode,
    affinity: hostingPodAffinity(input.nodeTerms),
    resources: input.resources,
    readOnly: input.plan.readOnly,
    spcNoRelabeling: input.plan.spcNoRelabeling,
    settings: input.settings,
  });
}

/** The first three are flags of Velero 1.19 (after-1.18.1.md, 1B). */
function changesArgs({ serviceAccount, snapshot, volumeHandle, claimUid }: ChangesToAsk): string[] {
  return [
    `--cbt-sa-name=${serviceAccount}`,
    `--snapshot-id=${snapshot}`,
    ...(volumeHandle === undefined ? [] : [`--volume-id=${volumeHandle}`]),
    ...(claimUid === undefined ? [] : [`--claim-uid=${claimUid}`]),
  ];
}
