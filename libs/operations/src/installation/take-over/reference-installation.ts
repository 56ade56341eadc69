import {
  backupRepositoryType,
  backupStorageLocationType,
  backupType,
  controllerName,
  type DaemonSet,
  type Deployment,
  daemonSetType,
  deploymentType,
  type Namespace,
  namespaceType,
  nodeAgentName,
  type ResourceType,
  repositoryCredentials,
  restoreType,
  type ServiceAccount,
  scheduleType,
  secretType,
  serviceAccountName,
  serviceAccountType,
  volumeSnapshotLocationType,
} from '@lateen/api-types';
import { type KubeApi, type KubeObject, listAll, listIfServed, readObject } from '@lateen/kube';
import { typeOf } from '@lateen/manifests';
import { isWellKnownPassword } from '@lateen/repository';
import { type ReplacedRecord, readRecord } from './replaced-record.ts';
import { type UnfinishedWork, unfinishedWork } from './unfinished-work.ts';
import { type ClusterRoleBinding, type WideBinding, wideBindings } from './wide-bindings.ts';

/** An installation of Velero in one namespace, or its remains. */
export interface ReferenceInstallation {
  namespaceName: string;
  namespace: Namespace | undefined;
  /** Deployment `velero`. */
  server: Deployment | undefined;
  /** DaemonSets `node-agent` and `node-agent-windows`. */
  agents: DaemonSet[];
  /** The service account of the server; undefined when it does not exist. */
  account: ServiceAccount | undefined;
  bindings: WideBinding[];
  /** Work of Velero, or work that no server carries out; empty when Lateen itself runs. */
  unfinished: UnfinishedWork[];
  /** The provider of each BackupStorageLocation, by its name. */
  locations: ReadonlyMap<string, string>;
  /** Names of the other objects, which stay as they are, by kind. */
  kept: ReadonlyMap<string, readonly string[]>;
  /** Whether the repositories have Velero's default password, which is the same everywhere. */
  hasDefaultPassword: boolean;
  /** The record of an earlier take-over. */
  record: ReplacedRecord | undefined;
}

export const serverName = 'velero';
const windowsAgentName = `${nodeAgentName}-windows`;

const keptTypes: readonly ResourceType[] = [
  volumeSnapshotLocationType,
  backupRepositoryType,
  scheduleType,
  backupType,
  restoreType,
];

export const isOurs = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.['app.kubernetes.io/part-of'] === 'lateen';

/** Workloads of the namespace that have Velero's names and are not ours. */
export async function referenceWorkloads(
  kube: KubeApi,
  namespace: string,
  signal: AbortSignal,
): Promise<Pick<ReferenceInstallation, 'server' | 'agents'>> {
  const [server, ...agents] = await Promise.all([
    readObject(kube, deploymentType, { namespace, name: serverName }, signal),
    ...[nodeAgentName, windowsAgentName].map((name) => readObject(kube, daemonSetType, { namespace, name }, signal)),
  ]);
  return {
    server: server === undefined || isOurs(server) ? undefined : server,
    agents: agents.filter((agent) => agent !== undefined && !isOurs(agent)) as DaemonSet[],
  };
}

/** The bindings that give the accounts of the installation every right, including accounts that only the record names. */
export async function bindingsOf(
  kube: KubeApi,
  namespace: string,
  accounts: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<WideBinding[]> {
  const type = typeOf({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: {} });
  const { items } = await listAll(kube, type, { signal });
  return wideBindings(items as ClusterRoleBinding[], namespace, accounts);
}

/** Reads everything, changes nothing. */
export async function findReference(
  kube: KubeApi,
  namespaceName: string,
  signal: AbortSignal,
): Promise<ReferenceInstallation> {
  const [{ server, agents }, record, controller] = await Promise.all([
    referenceWorkloads(kube, namespaceName, signal),
    readRecord(kube, namespaceName, signal),
    readObject(kube, deploymentType, { namespace: namespaceName, name: controllerName }, signal),
  ]);
  const isOtherAtWork = server !== undefined || agents.length > 0 || controller === undefined;
  const accounts = withOwnAccounts(accountsOf([server, ...agents, ...(record?.objects ?? [])]));
  const [account = serviceAccountName] = accounts;
  const inNamespace = (name: string) => ({ namespace: namespaceName, name });
  const [namespace, found, bindings, unfinished, locations, lists, password] = await Promise.all([
    readObject(kube, namespaceType, { name: namespaceName }, signal),
    readObject(kube, serviceAccountType, inNamespace(account), signal),
    bindingsOf(kube, namespaceName, accounts, signal),
    isOtherAtWork ? unfinishedWork(kube, namespaceName, signal) : [],
    listIfServed(kube, backupStorageLocationType, { namespace: namespaceName, signal }),
    Promise.all(keptTypes.map((type) => namesOf(kube, type, namespaceName, signal))),
    readObject(kube, secretType, inNamespace(repositoryCredentials.name), signal),
  ]);
  const value = password?.data?.[repositoryCredentials.key] ?? '';
  return {
    namespaceName,
    namespace,
    server,
    agents,
    account: found,
    bindings,
    unfinished,
    locations: new Map(locations.map(({ metadata, spec }) => [metadata.name ?? '', spec.provider])),
    kept: new Map(lists),
    hasDefaultPassword: isWellKnownPassword(Buffer.from(value, 'base64').toString()),
    record,
  };
}

/** The service accounts that the workloads run as, the server's account first. */
function accountsOf(objects: readonly (KubeObject | undefined)[]): string[] {
  return objects.flatMap((object) => {
    const { spec } = (object ?? {}) as { spec?: { template?: { spec?: { serviceAccountName?: string } } } };
    return spec?.template?.spec?.serviceAccountName ?? [];
  });
}

/** The given accounts and those that our own workloads run as. */
export const withOwnAccounts = (accounts: readonly string[]): Set<string> =>
  new Set([...accounts, serviceAccountName, nodeAgentName]);

async function namesOf(
  kube: KubeApi,
  type: ResourceType,
  namespace: string,
  signal: AbortSignal,
): Promise<[string, string[]]> {
  const items = await listIfServed(kube, type, { namespace, signal, metadataOnly: true });
  return [type.kind, items.map(({ metadata }) => metadata.name ?? '')];
}
