import { isTerminalPhase, type PodVolumeRestore } from '@lateen/api-types';
import type { RestoreVolumeInfo } from '@lateen/backup-store';

/** Adds the results of PodVolumeRestores to the volume info of a restore: when it was stored, they had only started. Pure. */
export function withFinalPodVolumes(
  volumes: readonly RestoreVolumeInfo[],
  restores: readonly PodVolumeRestore[],
): RestoreVolumeInfo[] {
  const keyOf = (namespace = '', pod = '', volume = '') => `${namespace}/${pod}/${volume}`;
  const byVolume = new Map(
    restores.map((each) => [keyOf(each.spec.pod.namespace, each.spec.pod.name, each.spec.volume), each]),
  );
  return volumes.map((info) => {
    const { pvrInfo } = info;
    const made = pvrInfo && byVolume.get(keyOf(pvrInfo.podNamespace, pvrInfo.podName, pvrInfo.volumeName));
    if (pvrInfo === undefined || made === undefined) return info;
    const { phase = 'New', node = '', progress } = made.status ?? {};
    const size = progress?.totalBytes || pvrInfo.size;
    return { ...info, pvrInfo: { ...pvrInfo, Phase: phase, nodeName: node, ...(size === undefined ? {} : { size }) } };
  });
}

/** Whether the volume's data should have been restored through the file system and was not: its claim is not waited for. */
export const hasLostItsData = ({ pvrInfo }: RestoreVolumeInfo): boolean =>
  pvrInfo !== undefined && isTerminalPhase(pvrInfo.Phase) && pvrInfo.Phase !== 'Completed';
