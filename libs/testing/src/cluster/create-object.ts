import { type CreateOptions, generatedName, type ObjectKey, type ResourceType, type Unstructured } from '@lateen/kube';
import { admitPod } from './admit-pod.ts';
import { alreadyExists, badRequest, forbidden, invalid, notFound, serverError } from './api-error.ts';
import { checkKind } from './check-kind.ts';
import { checkMetadata } from './check-metadata.ts';
import { storeData } from './config-data.ts';
import { parseExactly } from './exact-json.ts';
import { type KindFacts, kindFacts } from './kind-facts.ts';
import { checkQuota } from './quota.ts';
import { apiTime, type ServerState } from './server-state.ts';
import { allocateService } from './service-allocation.ts';
import { type Entry, typeKeyOf } from './store.ts';

const namespaces = { group: '', version: 'v1', resource: 'namespaces', kind: 'Namespace', namespaced: false } as const;

/** Handles POST: validates, sets defaults, stores. With `dryRun` it returns what would have been stored. */
export function createObject(
  state: ServerState,
  type: ResourceType,
  input: object,
  options: CreateOptions,
): Entry | Unstructured {
  const object = parseExactly(JSON.stringify(input)) as Unstructured;
  const facts = kindFacts(state.store, type);
  const key = keyFor(state, type, object, options);
  checkName(type, facts, key.name);
  checkNamespace(state, type, key);
  if (object.metadata.resourceVersion) throw serverError('resourceVersion should not be set on objects to be created');
  const existing = state.store.get(typeKeyOf(type), key);
  if (existing !== undefined)
    throw alreadyExists(type, key.name, existing.object.metadata.deletionTimestamp !== undefined);

  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, selfLink: ___, ...metadata } = object.metadata;
  object.metadata = {
    ...metadata,
    name: key.name,
    ...(key.namespace === undefined ? {} : { namespace: key.namespace }),
    uid: state.random.uuid(),
    creationTimestamp: apiTime(state.clock),
    ...(facts.generation ? { generation: 1 } : {}),
  };
  if (!type.namespaced) delete object.metadata.namespace;
  setFirstStatus(type, facts, object);
  storeData(type, object);
  checkMetadata(type, object);
  checkKind(type, object);
  admit(state, type, key, object, options.dryRun === true);
  return options.dryRun === true ? object : state.store.put(typeKeyOf(type), key, object);
}

function keyFor(state: ServerState, type: ResourceType, object: Unstructured, options: CreateOptions): ObjectKey {
  object.metadata ??= {};
  const { generateName, namespace: own } = object.metadata;
  const name = object.metadata.name || (generateName ? generatedName(generateName, state.random) : '');
  if (name === '') throw invalid(type, '', 'metadata.name: Required value: name or generateName is required');
  if (!type.namespaced) return { name };
  const namespace = options.namespace ?? own;
  if (namespace === undefined) throw badRequest('an empty namespace may not be set during creation');
  if (own !== undefined && own !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return { namespace, name };
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const nameLengthMax = 253;

function checkName(type: ResourceType, facts: KindFacts, name: string): void {
  if (facts.anyName) {
    if (/[/%]/.test(name) || name === '.' || name === '..') {
      throw invalid(type, name, `metadata.name: Invalid value: "${name}": may not contain '/' or '%'`);
    }
    return;
  }
  if (name.length > nameLengthMax) {
    throw invalid(type, name, `metadata.name: Invalid value: "${name}": must be no more than 253 characters`);
  }
  if (!subdomain.test(name)) {
    const rule =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    throw invalid(type, name, `metadata.name: Invalid value: "${name}": ${rule}`);
  }
}

function checkNamespace(state: ServerState, type: ResourceType, key: ObjectKey): void {
  if (key.namespace === undefined) return;
  const namespace = state.store.get(typeKeyOf(namespaces), { name: key.namespace });
  if (namespace === undefined) throw notFound(namespaces, key.namespace);
  if (namespace.object.metadata.deletionTimestamp !== undefined) {
    const why = `unable to create new content in namespace ${key.namespace} because it is being terminated`;
    const message = `namespace ${key.namespace} is being terminated`;
    throw forbidden(type, key.name, why, { reason: 'NamespaceTerminating', message, field: 'metadata.namespace' });
  }
}

/** Additions and rejections of admission and of the kind's strategy for a new object. */
function admit(state: ServerState, type: ResourceType, key: ObjectKey, object: Unstructured, dryRun: boolean): void {
  const typeKey = typeKeyOf(type);
  if (typeKey === '/Namespace') {
    object.metadata.labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': key.name };
    object.spec = { finalizers: ['kubernetes'] };
  }
  if (typeKey === '/Pod' && state.strict) admitPod(state.store, type, object);
  checkQuota(state.store, type, key);
  if (typeKey === '/Service') allocateService(state.store, object, dryRun);
}

/** The phase that the API server's defaulting sets on a new object. */
const firstPhase: Record<string, string> = {
  '/Namespace': 'Active',
  '/PersistentVolume': 'Pending',
  '/PersistentVolumeClaim': 'Pending',
  '/Pod': 'Pending',
};

function setFirstStatus(type: ResourceType, facts: KindFacts, object: Unstructured): void {
  if (!facts.statusSubresource) return;
  delete object.status;
  const phase = firstPhase[typeKeyOf(type)];
  if (phase !== undefined) object.status = { phase };
  if (type.kind === 'CustomResourceDefinition')
    object.status = { conditions: null, acceptedNames: {}, storedVersions: [] };
}
