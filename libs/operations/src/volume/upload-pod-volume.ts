import { claimNameOf, type PodVolumeBackup, podVolumeBackupType } from '@lateen/api-types';
import { checkUploadConfig, uploaderTypeKey, uploaderTypeOf } from '@lateen/repository';
import { podVolumeMarks, podVolumeSpec } from '@lateen/volume-policies';
import { checkNodeAgent } from './check-node-agent.ts';
import { findLocation } from './find-location.ts';
import { findPodVolume } from './find-pod-volume.ts';
import type { VolumePorts } from './volume-ports.ts';
import type { PodVolumeReference } from './volume-reference.ts';

export interface UploadPodVolumeOptions {
  volume: PodVolumeReference;
  veleroNamespace: string;
  storageLocation?: string | undefined;
  /** Name of the PodVolumeBackup; generated from pod and volume when absent. */
  name?: string | undefined;
  /** The same as of a DataUpload: the engine and its settings. */
  dataMoverConfig: Readonly<Record<string, string>>;
}

/**
 * Lets the node-agent of a pod's node read one of its volumes while the pod may write to it. Everything that can be checked is checked
 * before the PodVolumeBackup is created.
 * @throws AppError POD_NOT_FOUND, VOLUME_NOT_FOUND, VOLUME_NOT_READY, NO_NODE_AGENT, and what {@link findLocation} throws
 */
export async function uploadPodVolume(
  { volume, veleroNamespace, storageLocation, name, dataMoverConfig }: UploadPodVolumeOptions,
  { kube }: VolumePorts,
  signal: AbortSignal,
): Promise<PodVolumeBackup> {
  checkUploadConfig(dataMoverConfig);
  const [found, location] = await Promise.all([
    findPodVolume(kube, volume, signal),
    findLocation(kube, veleroNamespace, storageLocation, signal),
  ]);
  await checkNodeAgent(kube, veleroNamespace, found.pod.spec.nodeName ?? '', signal);
  const { [uploaderTypeKey]: _, ...settings } = dataMoverConfig;
  const claimName = claimNameOf(volume.pod, found.volume);
  const order: PodVolumeBackup = {
    apiVersion: `${podVolumeBackupType.group}/${podVolumeBackupType.version}`,
    kind: podVolumeBackupType.kind,
    metadata: {
      namespace: veleroNamespace,
      ...(name === undefined ? { generateName: `${claimName ?? `${volume.pod}-${volume.volume}`}-` } : { name }),
      ...podVolumeMarks(found),
    },
    spec: podVolumeSpec(found, {
      storageLocation: location.metadata.name ?? '',
      uploaderType: uploaderTypeOf(dataMoverConfig),
      settings,
    }),
  };
  return await kube.create(podVolumeBackupType, order, { signal });
}
