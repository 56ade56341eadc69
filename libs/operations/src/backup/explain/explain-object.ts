import { type BackupSpec, configMapType, type KubeObject, labels, namespaceType } from '@lateen/api-types';
import { AppError, quoted } from '@lateen/errors';
import {
  type BackupFiltersInput,
  backupFilters,
  canBeBackedUp,
  completeFilters,
  type Explanation,
  explainItem,
  type ItemFacts,
  parseResourcePolicies,
  policyConfigMapOf,
  type ResourcePolicies,
  validateBackupFilters,
} from '@lateen/item-filters';
import {
  type DiscoveredType,
  type Discovery,
  groupResourceText,
  type KubeApi,
  keyText,
  listAll,
  matchResourceType,
  type ObjectKey,
  readObject,
} from '@lateen/kube';

export interface ExplainRequest {
  spec: BackupSpec;
  /** The namespace of Lateen. */
  veleroNamespace: string;
  /** The resource as a user writes it: `deploy`, `deployments.apps`. */
  resource: string;
  namespace?: string | undefined;
  name: string;
}

export interface ExplainedObject {
  groupResource: string;
  key: ObjectKey;
  explanation: Explanation;
  /** The object is not chosen itself, but is included as soon as an object of the backup needs it. */
  comesAlong: boolean;
  /** Filter settings that have no effect. */
  warnings: readonly string[];
}

/**
 * Explains why an object in its current state would be in a backup with this spec or not, by the same rules as the server. Other objects of
 * the backup are not considered.
 * @throws AppError RESOURCE_UNKNOWN, OBJECT_KEY_INVALID, OBJECT_MISSING, BACKUP_NOT_VALID, RESOURCE_POLICIES_…; KUBE_…
 */
export async function explainObject(
  kube: KubeApi & Pick<Discovery, 'resourceTypes'>,
  { spec, veleroNamespace, resource, namespace, name }: ExplainRequest,
  signal: AbortSignal,
): Promise<ExplainedObject> {
  const types = await kube.resourceTypes({ signal });
  const type = matchResourceType(types, resource);
  if (type === undefined)
    throw new AppError('RESOURCE_UNKNOWN', `the API server does not know the resource ${quoted(resource)}`);
  const key = keyFor(type, namespace, name);
  const [object, namespaces, policies] = await Promise.all([
    readObject(kube, type, key, signal),
    listAll(kube, namespaceType, { signal }),
    policiesOf(kube, spec, veleroNamespace, signal),
  ]);
  const groupResource = groupResourceText(type);
  if (object === undefined) throw new AppError('OBJECT_MISSING', `${groupResource} ${quoted(keyText(key))} not found`);
  const errors = validateBackupFilters(spec, policies);
  if (errors.length > 0) throw new AppError('BACKUP_NOT_VALID', `no backup is made with this: ${errors.join('; ')}`);
  const marked = namespaces.items.filter(({ metadata }) => metadata.labels?.[labels.excludeFromBackup] === 'true');
  const input: BackupFiltersInput = {
    spec: completeFilters(
      spec,
      marked.map(({ metadata }) => metadata.name ?? ''),
    ),
    policies,
    types,
    namespaces: namespaces.items,
  };
  const facts = factsOf(type, groupResource, key, object);
  return { groupResource, key, ...explained(type, input, facts), warnings: backupFilters(input).warnings };
}

function explained(
  type: DiscoveredType,
  input: BackupFiltersInput,
  facts: ItemFacts,
): Pick<ExplainedObject, 'explanation' | 'comesAlong'> {
  if (!canBeBackedUp(type)) {
    const reason = 'the API server does not let such objects be listed and made again';
    return {
      explanation: { included: false, reason, steps: [{ rule: 'verbs', leavesOut: reason }] },
      comesAlong: false,
    };
  }
  const explanation = explainItem(input, facts);
  return { explanation, comesAlong: !explanation.included && explainItem(input, facts, { additional: true }).included };
}

function factsOf(type: DiscoveredType, groupResource: string, key: ObjectKey, { metadata }: KubeObject): ItemFacts {
  return {
    groupResource,
    kind: type.kind,
    namespaced: type.namespaced,
    namespace: key.namespace,
    name: key.name,
    labels: metadata.labels,
    isTerminating: metadata.deletionTimestamp !== undefined,
  };
}

function keyFor(type: DiscoveredType, namespace: string | undefined, name: string): ObjectKey {
  if (!type.namespaced && namespace === undefined) return { name };
  if (type.namespaced && namespace !== undefined) return { namespace, name };
  const form = type.namespaced ? 'in namespaces: name it as NAMESPACE/NAME' : 'in no namespace: name it as NAME';
  throw new AppError('OBJECT_KEY_INVALID', `${groupResourceText(type)} are ${form}`);
}

async function policiesOf(
  kube: KubeApi,
  spec: BackupSpec,
  namespace: string,
  signal: AbortSignal,
): Promise<ResourcePolicies | undefined> {
  const name = policyConfigMapOf(spec);
  return name === undefined
    ? undefined
    : parseResourcePolicies(await kube.get(configMapType, { namespace, name }, { signal }));
}
