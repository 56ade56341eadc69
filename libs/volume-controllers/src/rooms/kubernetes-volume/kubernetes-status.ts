import type { PersistentVolume, Pod } from '@lateen/api-types';
import { apiTime } from '@lateen/kube';
import type { KubernetesStatus, WorkloadStatus } from '@lateen/storage-types';

export interface KubernetesVolumeSeen {
  readonly before: KubernetesStatus | undefined;
  /** The PersistentVolume of the volume; undefined when there is none. */
  readonly persistentVolume: PersistentVolume | undefined;
  /** The pods that use its claim. */
  readonly pods: readonly Pod[];
}

/**
 * Which objects of Kubernetes use a volume. A deleted claim and deleted pods stay named, with the time when they last existed, so that a backup of
 * the volume records what it belonged to.
 */
export function kubernetesStatus(
  { before = {}, persistentVolume, pods }: KubernetesVolumeSeen,
  nowMs: number,
): KubernetesStatus {
  const { metadata, spec, status } = persistentVolume ?? {};
  const phase = status?.phase ?? '';
  const claim = phase === 'Bound' ? spec?.claimRef : undefined;
  const since = (time: string | undefined): string => time || apiTime(nowMs);
  const workloads = pods.map(workloadOf).sort((a, b) => ((a.podName ?? '') < (b.podName ?? '') ? -1 : 1));
  const hadClaim = (before.pvcName ?? '') !== '';
  const hadPods = (before.workloadsStatus ?? []).length > 0;
  const isOtherClaim = claim !== undefined && (claim.name !== before.pvcName || claim.namespace !== before.namespace);
  return {
    pvName: metadata?.name ?? '',
    pvStatus: phase,
    ...(claim === undefined
      ? {
          namespace: before.namespace ?? '',
          pvcName: before.pvcName ?? '',
          lastPVCRefAt: hadClaim ? since(before.lastPVCRefAt) : '',
        }
      : { namespace: claim.namespace ?? '', pvcName: claim.name ?? '', lastPVCRefAt: '' }),
    ...(workloads.length > 0 || isOtherClaim
      ? { workloadsStatus: workloads, lastPodRefAt: '' }
      : { workloadsStatus: before.workloadsStatus ?? [], lastPodRefAt: hadPods ? since(before.lastPodRefAt) : '' }),
  };
}

function workloadOf({ metadata, status }: Pod): WorkloadStatus {
  const owner =
    metadata.ownerReferences?.find(({ controller }) => controller === true) ?? metadata.ownerReferences?.[0];
  return {
    podName: metadata.name ?? '',
    podStatus: status?.phase ?? '',
    workloadName: owner?.name ?? '',
    workloadType: owner?.kind ?? '',
  };
}
