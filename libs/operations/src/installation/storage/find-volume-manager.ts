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

/** What the cluster has of the volume manager (replicated volumes). */
export interface VolumeManagerInstallation {
  /** Absent when the namespace is gone already, or is not ours. */
  namespace: Namespace | undefined;
  /** The installed workloads, as they are in the cluster. */
  workloads: Unstructured[];
  /** The installed cluster-scoped objects, without the namespace. */
  clusterObjects: Unstructured[];
  volumes: Volume[];
  /** Block backups: their objects are deleted, and their data stays in the backup targets. */
  backups: Backup[];
  backupTargets: BackupTarget[];
  /** Longhorn's setting that has to be true before an uninstall may delete volumes. */
  mayDeleteVolumes: boolean;
  /** Empty when the namespace belongs to another installation: the objects in it need the definitions. */
  definitions: CustomKind[];
}

/** The setting by which Longhorn asks whether volumes may be deleted. */
export const deletingConfirmation = 'deleting-confirmation-flag';

const partOf = 'app.kubernetes.io/part-of';
const isOurs = ({ metadata }: KubeObject): boolean => metadata.labels?.[partOf] === 'lateen';
const isWorkload = ({ kind }: KubeObject): boolean => kind === 'DaemonSet' || kind === 'Deployment';

/**
 * Reads everything, changes nothing.
 * @param objects the manifests of the volume manager; returned are those that exist in the cluster and are ours
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

/** A cluster that does not serve Longhorn's kinds has no settings either. */
async function readSetting(kube: KubeApi, signal: AbortSignal): Promise<Setting | undefined> {
  const settings = await listIfServed(kube, settingType, { namespace: longhornNamespace, signal });
  return settings.find(({ metadata }) => metadata.name === deletingConfirmation);
}

/** Lists leave kind and apiVersion out, and reads may do so: they are taken from the manifest. */
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

/** How many volumes a message names; the others are counted. */
const namedMax = 5;

/**
 * Refuses to remove the volume manager while it has volumes, because they hold users' data.
 * @throws AppError VOLUMES_EXIST while there are any and Longhorn's setting does not allow it; VOLUMES_IN_USE for those that are attached
 */
export function refuseVolumes({ volumes, mayDeleteVolumes }: VolumeManagerInstallation): void {
  const attached = volumes.filter(({ status }) => status?.state !== undefined && status.state !== 'detached');
  if (volumes.length === 0) return;
  if (!mayDeleteVolumes)
    throw new AppError('VOLUMES_EXIST', `${namesOf(volumes)} would be lost with everything in them`, {
      nextStep: `Delete their claims first; or allow the deletion of volumes: kubectl patch settings.longhorn.io -n ${longhornNamespace} ${deletingConfirmation} --type=merge -p '{"value":"true"}'`,
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
