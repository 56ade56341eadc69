import {
  backupStorageLocationType,
  daemonSetType,
  nodeAgentName,
  type StorageClass,
  storageClassType,
  type VolumeSnapshotClass,
  volumeSnapshotClassType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi } from '@lateen/kube';
import type { RunningLateen } from './running-lateen.ts';

const defaultClassAnnotation = 'storageclass.kubernetes.io/is-default-class';

/**
 * What the demo and the tests need to know of an existing Lateen. Changes nothing.
 * @throws AppError NOT_INSTALLED | NO_LOCATION | NO_STORAGE_CLASS, each with the next step
 */
export async function findExistingLateen(
  kube: KubeApi,
  namespace: string,
  signal: AbortSignal,
): Promise<Pick<RunningLateen, 'image' | 'storageClass'>> {
  const image = await nodeAgentImage(kube, namespace, signal);
  const locations = await kube.list(backupStorageLocationType, { namespace, signal });
  if (!locations.items.some((each) => each.spec.default === true && each.status?.phase === 'Available'))
    throw new AppError('NO_LOCATION', `no default BackupStorageLocation in namespace ${namespace} is Available`, {
      nextStep: `See them with: kubectl get backupstoragelocations -n ${namespace}`,
    });
  const [classes, snapshotClasses] = await Promise.all([
    kube.list(storageClassType, { signal }),
    kube.list(volumeSnapshotClassType, { signal }),
  ]);
  return { image, storageClass: chooseStorageClass(classes.items, snapshotClasses.items) };
}

async function nodeAgentImage(kube: KubeApi, namespace: string, signal: AbortSignal): Promise<string> {
  const nextStep = 'Apply the manifests of deploy/ to this cluster first.';
  try {
    const agent = await kube.get(daemonSetType, { namespace, name: nodeAgentName }, { signal });
    const image = agent.spec.template.spec.containers[0]?.image;
    if (image !== undefined) return image;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  throw new AppError('NOT_INSTALLED', `DaemonSet ${namespace}/${nodeAgentName} is not there`, { nextStep });
}

/** The default class if its driver can take snapshots, else the first whose driver can. */
export function chooseStorageClass(
  classes: readonly StorageClass[],
  snapshotClasses: readonly VolumeSnapshotClass[],
): string {
  const capable = classes.filter((each) => snapshotClasses.some((snapshots) => snapshots.driver === each.provisioner));
  const chosen = capable.find((each) => each.metadata.annotations?.[defaultClassAnnotation] === 'true') ?? capable[0];
  if (chosen?.metadata.name === undefined)
    throw new AppError('NO_STORAGE_CLASS', 'no StorageClass of this cluster has a driver that can take snapshots', {
      nextStep: 'Install a CSI driver with snapshot support and a VolumeSnapshotClass for it.',
    });
  return chosen.metadata.name;
}
