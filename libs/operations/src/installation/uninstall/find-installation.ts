import {
  type BackupStorageLocation,
  backupStorageLocationType,
  controllerName,
  daemonSetType,
  deploymentType,
  type Namespace,
  namespaceType,
  nodeAgentName,
  repositoryCredentials,
} from '@lateen/api-types';
import {
  type Discovery,
  type KubeApi,
  type KubeObject,
  listAll,
  listIfServed,
  readObject,
  type Unstructured,
} from '@lateen/kube';
import { typeOf } from '@lateen/manifests';
import { findMovements, hasEnded, type Movement } from '@lateen/operations/volume';
import { refuseHelm } from '../install/existing-installation.ts';
import { clusterRights } from './cluster-rights.ts';
import { type CustomKind, customKinds } from './custom-kinds.ts';
import { foreignAmong } from './foreign/foreign-among.ts';
import { type NamespaceContents, namespaceContents, type SeenObject } from './foreign/namespace-contents.ts';
import { usedNames } from './foreign/used-names.ts';

const partOf = 'app.kubernetes.io/part-of';

/** The parts of an installation in the cluster, and what else uses the things that an uninstall would remove. */
export interface Installation {
  namespaceName: string;
  /** Absent when the namespace is gone already, or never had anything of ours. */
  namespace: Namespace | undefined;
  /** Objects in the namespace that are neither ours nor made by Kubernetes itself. They would be deleted with the namespace. */
  foreign: SeenObject[];
  /** Kinds that could not be listed completely in the namespace, with the reason. */
  unseen: string[];
  workloads: KubeObject[];
  running: Movement[];
  /** Every kind of velero.io that the cluster serves. */
  definitions: CustomKind[];
  /** The objects of those kinds in the namespace. */
  objects: KubeObject[];
  locations: BackupStorageLocation[];
  hasPassword: boolean;
  /** Whether the CSI driver is installed. It serves the whole cluster and its volumes may be in use, so an uninstall keeps it. */
  hasCsiDriver: boolean;
  secrets: number;
  configMaps: number;
  /** ClusterRoleBindings and ClusterRoles that only this installation uses. */
  rights: Unstructured[];
  /** The reasons why the CRDs have to stay: other users of them in the cluster. */
  othersUsingKinds: string[];
}

const csiDriver = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'csi.lateen.dev' } };

const nothingInside: NamespaceContents = { objects: [], unseen: [] };

/** Reads everything, changes nothing. @throws AppError HELM_RELEASE */
export async function findInstallation(
  kube: KubeApi & Pick<Discovery, 'resourceTypes'>,
  name: string,
  signal: AbortSignal,
): Promise<Installation> {
  const key = (of: string) => ({ namespace: name, name: of });
  const [found, controller, agent, kinds, driver] = await Promise.all([
    readObject(kube, namespaceType, { name }, signal),
    readObject(kube, deploymentType, key(controllerName), signal),
    readObject(kube, daemonSetType, key(nodeAgentName), signal),
    customKinds(kube, signal),
    readObject(kube, typeOf(csiDriver), { name: csiDriver.metadata.name }, signal),
  ]);
  refuseHelm(controller, 'uninstall');
  const workloads = [controller, agent].filter((it): it is NonNullable<typeof it> => it !== undefined && isOurs(it));
  const isInstalled = found !== undefined && (isOurs(found) || workloads.length > 0);
  const [inside, contents, rights] = await Promise.all([
    isInstalled ? Promise.all(kinds.map((kind) => objectsIn(kube, kind, name, signal))) : [],
    isInstalled ? namespaceContents(kube, name, signal) : nothingInside,
    clusterRights(kube, name, signal),
  ]);
  const movements =
    isInstalled && kinds.some(({ kind }) => kind === 'DataUpload') ? await findMovements(kube, name, {}, signal) : [];
  return {
    namespaceName: name,
    namespace: isInstalled ? found : undefined,
    foreign: foreignAmong(contents, usedNames(inside.flat(), workloads)),
    unseen: contents.unseen,
    workloads,
    running: movements.filter((movement) => !hasEnded(movement)),
    definitions: kinds,
    objects: inside.flat(),
    locations: inside.flat().filter(isLocation),
    hasPassword: mayHavePassword(contents),
    hasCsiDriver: driver !== undefined,
    secrets: contents.objects.filter(({ kind }) => kind === 'Secret').length,
    configMaps: contents.objects.filter(({ kind, name: of }) => kind === 'ConfigMap' && of !== 'kube-root-ca.crt')
      .length,
    rights,
    othersUsingKinds: await othersUsing(kube, isInstalled ? name : undefined, signal, kinds),
  };
}

/** When Secrets cannot be listed, a password is assumed: an unnecessary warning is better than a lost password. */
const mayHavePassword = ({ objects, unseen }: NamespaceContents): boolean =>
  objects.some(({ kind, name }) => kind === 'Secret' && name === repositoryCredentials.name) ||
  unseen.some((kind) => kind.startsWith('secrets '));

const isOurs = ({ metadata }: KubeObject): boolean => metadata.labels?.[partOf] === 'lateen';
const isLocation = (object: KubeObject): object is BackupStorageLocation =>
  object.kind === backupStorageLocationType.kind;

/** The objects of one kind, in one namespace or in all; with their kind and apiVersion, which lists leave out. */
export async function objectsIn(
  kube: KubeApi,
  { type, kind }: CustomKind,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  // The CRD may just be in deletion.
  const items = await listIfServed(kube, type, { namespace, signal });
  return items.map((object) => ({ ...object, kind }));
}

/**
 * Lists what needs the CRDs: their objects outside our namespace, and other installations, which need them even without objects.
 * When nothing of ours is installed (undefined), everything counts.
 */
export async function othersUsing(
  kube: KubeApi,
  namespace: string | undefined,
  signal: AbortSignal,
  kinds: readonly CustomKind[],
): Promise<string[]> {
  const isOther = ({ metadata }: KubeObject): boolean => metadata.namespace !== namespace;
  const objects = await Promise.all(kinds.map((kind) => objectsIn(kube, kind, undefined, signal)));
  const installations = await Promise.all(
    [controllerName, 'velero'].map((name) =>
      listAll(kube, deploymentType, { fieldSelector: `metadata.name=${name}`, signal }),
    ),
  );
  const deployments = installations.flatMap(({ items }) => items.map((it) => ({ ...it, kind: 'Deployment' })));
  return [...objects, deployments].flatMap((group) => {
    const [first, ...more] = group.filter(isOther);
    if (first === undefined) return [];
    const { namespace: where, name } = first.metadata;
    return [`${first.kind} ${where}/${name}${more.length > 0 ? ` and ${more.length} more` : ''}`];
  });
}
