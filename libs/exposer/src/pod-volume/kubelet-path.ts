import type { PersistentVolume, Pod, Volume } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { VolumeOfPod } from './volume-of-pod.ts';

/**
 * The directory of the volumes of each kubelet plugin, from the plugin's source file (kubernetes, pkg/volume); CSI mounts one
 * level deeper.
 */
interface KubeletPlace {
  plugin: string;
  below?: 'mount';
  /**
   * The directory has the name of the PersistentVolume; for a volume that a pod declares itself, only the driver knows the name.
   */
  persistentOnly?: true;
}

const csi: KubeletPlace = { plugin: 'kubernetes.io~csi', below: 'mount' };
/** In-tree sources that the kubelet passes to their CSI driver (kubernetes, csi-translation-lib). */
const migrated: KubeletPlace = { ...csi, persistentOnly: true };

/** By the field of a volume or a PersistentVolume that names its source. */
const places: Readonly<Record<string, KubeletPlace>> = {
  csi,
  emptyDir: { plugin: 'kubernetes.io~empty-dir' },
  nfs: { plugin: 'kubernetes.io~nfs' },
  local: { plugin: 'kubernetes.io~local-volume' },
  iscsi: { plugin: 'kubernetes.io~iscsi' },
  fc: { plugin: 'kubernetes.io~fc' },
  awsElasticBlockStore: migrated,
  azureDisk: migrated,
  azureFile: migrated,
  cinder: migrated,
  gcePersistentDisk: migrated,
  portworxVolume: migrated,
  vsphereVolume: migrated,
  // Removed in Kubernetes 1.31 and 1.26.
  cephfs: { plugin: 'kubernetes.io~cephfs' },
  rbd: { plugin: 'kubernetes.io~rbd' },
  glusterfs: { plugin: 'kubernetes.io~glusterfs' },
  // Only when a user names them: their data is in API objects.
  configMap: { plugin: 'kubernetes.io~configmap' },
  secret: { plugin: 'kubernetes.io~secret' },
  projected: { plugin: 'kubernetes.io~projected' },
  downwardAPI: { plugin: 'kubernetes.io~downward-api' },
  gitRepo: { plugin: 'kubernetes.io~git-repo' },
};

/**
 * The directory in which the kubelet has mounted the volume for the pod, computed without access to the node. Pure.
 * @throws EXPOSE_NO_KUBELET_PATH for a volume whose directory has no known name
 */
export function kubeletPath(kubeletDirectory: string, { pod, volume, bound }: VolumeOfPod): string {
  const { persistentVolume } = bound ?? {};
  const place = placeOf(volume, bound);
  if (place === undefined) throw noDirectory(volume, persistentVolume);
  const name = persistentVolume?.metadata.name ?? volume.name;
  const parts = [kubeletDirectory, 'pods', uidOnNode(pod), 'volumes', place.plugin, name, place.below];
  return parts.filter((part) => part !== undefined).join('/');
}

/** Whether {@link kubeletPath} finds a directory. */
export const hasKubeletPath = ({ volume, bound }: VolumeOfPod): boolean => placeOf(volume, bound) !== undefined;

function placeOf(volume: Volume, bound: VolumeOfPod['bound']): KubeletPlace | undefined {
  const source: object = bound?.persistentVolume.spec ?? volume;
  const type = Object.keys(source).find((field) => Object.hasOwn(places, field));
  const place = type === undefined ? undefined : places[type];
  if (place !== undefined) return place.persistentOnly === true && bound === undefined ? undefined : place;
  const { flexVolume } = source as { flexVolume?: { driver?: string } };
  return flexVolume?.driver === undefined ? undefined : { plugin: flexVolume.driver.replaceAll('/', '~') };
}

/** A static pod has another UID on its node than its mirror pod in the API. */
function uidOnNode({ metadata }: Pod): string {
  return metadata.annotations?.['kubernetes.io/config.mirror'] ?? metadata.uid ?? '';
}

function noDirectory(volume: Volume, persistentVolume: PersistentVolume | undefined): AppError {
  const source: object = persistentVolume?.spec ?? volume;
  const what =
    persistentVolume === undefined ? `volume "${volume.name}"` : `PersistentVolume ${persistentVolume.metadata.name}`;
  const message =
    'hostPath' in source
      ? `${what} is a path of its node, which data movers do not reach`
      : `it is not known where the kubelet mounts ${what}, for its type`;
  // A volume of a claim is lent instead, unless only one pod may mount it.
  const nextStep =
    persistentVolume === undefined
      ? 'Put the data into a volume with a PersistentVolumeClaim, or leave it out.'
      : 'Give its claim another access mode than ReadWriteOncePod, or use a PersistentVolume of type local or csi.';
  return new AppError('EXPOSE_NO_KUBELET_PATH', message, { nextStep });
}
