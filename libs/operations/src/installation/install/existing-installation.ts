import {
  backupStorageLocationType,
  cloudCredentials,
  configMapType,
  controllerName,
  type Deployment,
  defaultLocationName,
  defaultNamespace,
  deploymentType,
  isNamespaceName,
  type ResourceType,
  secretType,
  snapshotGroup,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, type KubeObject, listIfServed, readObject, type Unstructured } from '@lateen/kube';
import { type PluginImage, pluginsOf } from '@lateen/manifests';
import { type ReferenceInstallation, referenceWorkloads } from '../take-over/reference-installation.ts';
import { readRecord } from '../take-over/replaced-record.ts';
import { type KeptSettings, settingsOf } from './kept-settings.ts';

/** The state of the namespace before anything is changed. */
export interface ExistingInstallation {
  /** Absent: nothing of ours is installed. */
  controller: Deployment | undefined;
  /** The running workloads of a Velero installation. */
  reference: Pick<ReferenceInstallation, 'server' | 'agents'>;
  /** The settings of the last install, or those that an interrupted take-over has carried over before the first install. */
  settings: KeptSettings;
  image: string | undefined;
  /** The plugins in the controller's pod, from whatever source. */
  plugins: PluginImage[];
  hasSecret: boolean;
  /** Names of the existing locations, whatever created them. */
  locations: string[];
  /** The default location when it is not the one that install creates. */
  otherDefault: string | undefined;
  hasSnapshots: boolean;
}

const definitionType: ResourceType<Unstructured> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

/** Reads the state before the first change. Changes nothing. @throws AppError HELM_RELEASE */
export async function existingInstallation(
  kube: KubeApi,
  namespace: string,
  signal: AbortSignal,
): Promise<ExistingInstallation> {
  const find = <T extends KubeObject>(type: ResourceType<T>, name: string): Promise<T | undefined> =>
    readObject(kube, type, type.namespaced ? { namespace, name } : { name }, signal);
  const [controller, reference, record, secret, locations, snapshots] = await Promise.all([
    find(deploymentType, controllerName),
    referenceWorkloads(kube, namespace, signal),
    readRecord(kube, namespace, signal),
    find(secretType, cloudCredentials.name),
    listIfServed(kube, backupStorageLocationType, { namespace, signal }),
    find(definitionType, `volumesnapshots.${snapshotGroup}`),
  ]);
  refuseHelm(controller, 'upgrade');
  return {
    controller,
    reference,
    settings: controller === undefined ? (record?.settings ?? {}) : settingsOf(controller),
    image: controller?.spec.template.spec.containers[0]?.image,
    plugins: controller === undefined ? [] : pluginsOf(controller.spec.template.spec),
    hasSecret: secret !== undefined,
    locations: locations.map(({ metadata }) => metadata.name ?? ''),
    otherDefault: locations.find(({ spec, metadata }) => spec.default === true && metadata.name !== defaultLocationName)
      ?.metadata.name,
    hasSnapshots: snapshots !== undefined,
  };
}

/** The annotation that Helm sets on everything that it creates. */
const helmRelease = 'meta.helm.sh/release-name';
const helmNamespace = 'meta.helm.sh/release-namespace';

/** The Helm release that the object belongs to, by Helm's own annotations. */
export function releaseOf(object: KubeObject | undefined): { name: string; namespace: string } | undefined {
  const { [helmRelease]: name, [helmNamespace]: namespace = '' } = object?.metadata.annotations ?? {};
  return name === undefined ? undefined : { name, namespace };
}

/** @throws AppError HELM_RELEASE, because two owners of the same fields would undo each other's changes */
export function refuseHelm(object: KubeObject | undefined, command: 'upgrade' | 'uninstall'): void {
  const release = releaseOf(object);
  if (release === undefined) return;
  const { name, namespace } = release;
  throw new AppError('HELM_RELEASE', `this installation is Helm's release ${name} in namespace ${namespace}`, {
    nextStep: `Use: helm ${command} ${name} -n ${namespace}`,
  });
}

/** Namespaces of the cluster itself: install would change their pod security level, and uninstall would delete them. */
const protectedNamespaces: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);

/** @throws AppError BAD_FLAG */
export function refuseProtected(namespace: string): void {
  if (protectedNamespaces.has(namespace))
    throw new AppError('BAD_FLAG', `namespace ${namespace} belongs to the cluster: Lateen needs one of its own`, {
      nextStep: 'Give another --namespace; the usual one is velero.',
    });
  if (!isNamespaceName(namespace))
    throw new AppError('BAD_FLAG', `--namespace "${namespace}" is not the name of a namespace`);
}

/** @throws AppError OTHER_INSTALLATION, because both would work on the same objects, and its DaemonSet has the name of ours */
export function refuseOther({ reference }: ExistingInstallation, namespace: string): void {
  const foreign = reference.server ?? reference.agents[0];
  if (foreign === undefined) return;
  const title = `${foreign === reference.server ? 'Deployment' : 'DaemonSet'} ${namespace}/${foreign.metadata.name}`;
  const option = namespace === defaultNamespace ? '' : ` -n ${namespace}`;
  throw new AppError('OTHER_INSTALLATION', `${title} is not Lateen's: another installation runs in this namespace`, {
    nextStep: `Give another --namespace; or take it over with its locations, Secrets, Schedules and Backups: lateen install --take-over${option} (--dry-run shows what it would do).`,
  });
}

/** One line for each ConfigMap that is named but does not exist: the pods do not start without it. */
export async function missingConfigMaps(
  kube: KubeApi,
  namespace: string,
  names: readonly (string | undefined)[],
  signal: AbortSignal,
): Promise<string[]> {
  const wanted = [...new Set(names.filter((name) => name !== undefined && name !== ''))] as string[];
  const found = await Promise.all(wanted.map((name) => readObject(kube, configMapType, { namespace, name }, signal)));
  return wanted
    .filter((_, at) => found[at] === undefined)
    .map(
      (name) =>
        `ConfigMap ${namespace}/${name} is not there yet: make it, the pods that read it do not start without it.`,
    );
}
