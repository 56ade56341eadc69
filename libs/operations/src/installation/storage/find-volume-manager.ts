import { type Namespace, namespaceType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, type KubeObject, listIfServed, readObject, type Unstructured } from '@lateen/kube';
import { typeOf } from '@lateen/manifests';
import {
  type Backup,
  type BackupTarget,
  backupTargetType,
  backupType,
  longhornGroup,
  longhornNamespace,
  type Setting,
  settingType,
  type Volume,
  volumeType,
} from '@lateen/storage-types';
import { refuseHelm } from '../install/existing-installation.ts';
import { type CustomKind, customKinds } from '../uninstall/custom-kinds.ts';

/** What there is of volumes with replicas on several nodes. */
export interface VolumeManagerInstallation {
  /** Absent when it is gone already, or is not ours. */
  namespace: Namespace | undefined;
  /** Of what is installed, as it is in the cluster. */
  workloads: Unstructured[];
  /** What is installed beside the namespace and in no namespace. */
  clusterObjects: Unstructured[];
  volumes: Volume[];
  /** Backups of blocks: the objects go, and what is on the targets stays. */
  backups: Backup[];
  backupTargets: BackupTarget[];
  /** The setting of Longhorn that has to be true before volumes may go with the rest. */
  mayDeleteVolumes: boolean;
  /** None where the namespace is somebody else's: what is in it needs them. */
  definitions: CustomKind[];
}

/** By which Longhorn asks whether volumes may go. */
export const deletingConfirmation = 'deleting-confirmation-flag';

const partOf = 'app.kubernetes.io/part-of';
const isOurs = ({ metadata }: KubeObject): boolean => metadata.labels?.[partOf] === 'lateen';
const isWorkload = ({ kind }: KubeObject): boolean => kind === 'DaemonSet' || kind === 'Deployment';

/**
 * Reads everything, changes nothing.
 * @param objects the manifests of the volume manager; of them that is found which is there and ours
 * @throws AppError HELM_RELEASE
 */
export async function findVolumeManager(
  kube: KubeApi,
  objects: readonly Unstructured[],
  signal: AbortSignal,
): Promise<VolumeManagerInstallation> {
  const inNamespace = { namespace: longhornNamespace, signal };
  const [namespace, volumes, backups, backupTargets, setting, definitions] = await Promise.all([
    readObject(kube, namespaceType, { name: longhornNamespace }, signal),
    listIfServed(kube, volumeType, inNamespace),
    listIfServed(kube, backupType, inNamespace),
    listIfServed(kube, backupTargetType, inNamespace),
    readSetting(kube, signal),
    customKinds(kube, signal, longhornGroup),
  ]);
  const present = await thereOf(kube, objects, signal);
  const workloads = present.filter(isWorkload);
  const isOurNamespace = namespace === undefined || isOurs(namespace);
  refuseHelm(workloads[0], 'uninstall');
  return {
    namespace: isOurNamespace ? namespace : undefined,
    workloads,
    clusterObjects: present.filter((object) => object.kind !== 'Namespace' && !typeOf(object).namespaced),
    volumes: isOurNamespace ? volumes : [],
    backups: isOurNamespace ? backups : [],
    backupTargets: isOurNamespace ? backupTargets : [],
    mayDeleteVolumes: setting?.value === 'true',
    definitions: isOurNamespace ? definitions : [],
  };
}

/** A cluster without the kinds has no settings either. */
async function readSetting(kube: KubeApi, signal: AbortSignal): Promise<Setting | undefined> {
  const settings = await listIfServed(kube, settingType, { namespace: longhornNamespace, signal });
  return settings.find(({ metadata }) => metadata.name === deletingConfirmation);
}

/** Lists leave kind and version out, and reads may: the manifest has them. */
async function thereOf(kube: KubeApi, objects: readonly Unstructured[], signal: AbortSignal): Promise<Unstructured[]> {
  const found = await Promise.all(
    objects.map(async (object) => {
      const { name = '', namespace } = object.metadata;
      const key = namespace === undefined ? { name } : { namespace, name };
      const seen = await readObject(kube, typeOf(object), key, signal);
      return seen !== undefined && isOurs(seen) ? [{ ...seen, apiVersion: object.apiVersion, kind: object.kind }] : [];
    }),
  );
  return found.flat();
}

/** More than these are counted, not named. */
const namedMax = 5;

/**
 * Volumes are somebody's data.
 * @throws AppError VOLUMES_EXIST while there are any and Longhorn's setting does not allow it; VOLUMES_IN_USE for those that are attached
 */
export function refuseVolumes({ volumes, mayDeleteVolumes }: VolumeManagerInstallation): void {
  const attached = volumes.filter(({ status }) => status?.state !== undefined && status.state !== 'detached');
  if (volumes.length === 0) return;
  if (!mayDeleteVolumes)
    throw new AppError('VOLUMES_EXIST', `${namesOf(volumes)} would be lost with everything in them`, {
      nextStep: `Delete their claims first; or let them go with the rest: kubectl patch settings.longhorn.io -n ${longhornNamespace} ${deletingConfirmation} --type=merge -p '{"value":"true"}'`,
    });
  if (attached.length > 0)
    throw new AppError('VOLUMES_IN_USE', `${namesOf(attached)} are in use`, {
      nextStep: 'Stop the pods that use them first; kubectl get volumes.longhorn.io says on which nodes they are.',
    });
}

function namesOf(volumes: readonly Volume[]): string {
  const names = volumes.slice(0, namedMax).map(({ metadata }) => metadata.name);
  const more = volumes.length - names.length;
  return `${volumes.length} volumes (${names.join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}
