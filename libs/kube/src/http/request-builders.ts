import type { KubeObject, ResourceType } from '@lateen/api-types';
import type { CreateOptions, DeleteOptions, ListOptions, Patch, WatchOptions, WriteOptions } from '../kube-api.ts';
import { keyText, type ObjectKey } from '../kube-object.ts';
import { requireKey, requireScope } from '../require-key.ts';
import { groupResourceText, resourcePath } from '../resource-type.ts';
import { stringify } from './exact-json.ts';
import type { HttpRequest } from './http-transport.ts';
import { queryText } from './query.ts';

/** What a request is before it has a signal and credentials. */
export type PlannedRequest = Omit<HttpRequest, 'signal'>;

/** The page size when the caller names none; it bounds the memory of a list (stack facts 4.2). */
export const listLimitDefault = 500;

/** The field manager of server-side apply, which demands one, when the caller names none. */
const fieldManagerDefault = 'lateen';

const accept = { accept: 'application/json' };
/** A server that does not know it (an old aggregated one) sends whole objects. */
const acceptMetadata = {
  accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
};
const jsonBody = { ...accept, 'content-type': 'application/json' };

const patchTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // The API server takes apply patches as YAML only; JSON is YAML.
  apply: 'application/apply-patch+yaml',
} as const satisfies Record<Patch['type'], string>;

export function getRequest(type: ResourceType, key: ObjectKey, options: { subresource?: string }): PlannedRequest {
  return {
    method: 'GET',
    path: objectPath('get', type, key, options.subresource),
    headers: accept,
    purpose: purposeOf('get', type, key, options.subresource),
    streaming: false,
  };
}

export function listRequest(type: ResourceType, options: ListOptions): PlannedRequest {
  const query = {
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit ?? listLimitDefault,
    continue: options.continue,
    // The server refuses a version beside a continue token: the token carries it.
    resourceVersion: options.continue === undefined ? options.resourceVersion : undefined,
  };
  return {
    method: 'GET',
    path: collectionPath('list', type, options.namespace) + queryText(query),
    headers: options.metadataOnly === true ? acceptMetadata : accept,
    purpose: manyPurpose('list', type, options.namespace),
    streaming: false,
  };
}

export function watchRequest(type: ResourceType, options: WatchOptions): PlannedRequest {
  const query = {
    watch: 1,
    allowWatchBookmarks: true,
    resourceVersion: options.resourceVersion,
    timeoutSeconds: options.timeoutSeconds,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
  };
  return {
    method: 'GET',
    path: collectionPath('watch', type, options.namespace) + queryText(query),
    headers: accept,
    purpose: manyPurpose('watch', type, options.namespace),
    streaming: true,
  };
}

export function createRequest(type: ResourceType, object: KubeObject, options: CreateOptions): PlannedRequest {
  const namespace = options.namespace ?? object.metadata.namespace;
  const { name } = object.metadata;
  const key = { namespace, name: name ?? object.metadata.generateName ?? '' };
  const path =
    options.subresource === undefined
      ? collectionPath('create', type, namespace ?? '')
      : objectPath('create', type, { namespace, name: name ?? '' }, options.subresource);
  return {
    method: 'POST',
    path: path + writeQuery(options),
    headers: jsonBody,
    body: stringify(object),
    purpose: purposeOf('create', type, key, options.subresource),
    streaming: false,
  };
}

export function updateRequest(type: ResourceType, object: KubeObject, options: WriteOptions): PlannedRequest {
  const key = { namespace: object.metadata.namespace, name: object.metadata.name ?? '' };
  return {
    method: 'PUT',
    path: objectPath('update', type, key, options.subresource) + writeQuery(options),
    headers: jsonBody,
    body: stringify(object),
    purpose: purposeOf('update', type, key, options.subresource),
    streaming: false,
  };
}

export function patchRequest(type: ResourceType, key: ObjectKey, patch: Patch, options: WriteOptions): PlannedRequest {
  const manager = options.fieldManager ?? (patch.type === 'apply' ? fieldManagerDefault : undefined);
  const force = patch.type === 'apply' ? patch.force : undefined;
  return {
    method: 'PATCH',
    path:
      objectPath('patch', type, key, options.subresource) +
      writeQuery({ ...options, ...(manager === undefined ? {} : { fieldManager: manager }) }, force),
    headers: { ...accept, 'content-type': patchTypes[patch.type] },
    body: stringify(patch.body),
    purpose: purposeOf('patch', type, key, options.subresource),
    streaming: false,
  };
}

export function deleteRequest(type: ResourceType, key: ObjectKey, options: DeleteOptions): PlannedRequest {
  const { propagationPolicy, gracePeriodSeconds, preconditions } = options;
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy, gracePeriodSeconds, preconditions };
  return {
    method: 'DELETE',
    path: objectPath('delete', type, key, undefined),
    headers: jsonBody,
    body: stringify(body),
    purpose: purposeOf('delete', type, key, undefined),
    streaming: false,
  };
}

function writeQuery(options: WriteOptions, force?: boolean): string {
  return queryText({ fieldManager: options.fieldManager, dryRun: options.dryRun ? 'All' : undefined, force });
}

function objectPath(verb: string, type: ResourceType, key: ObjectKey, subresource: string | undefined): string {
  requireKey(verb, type, key);
  return resourcePath(type, { namespace: key.namespace, name: key.name, subresource });
}

function collectionPath(verb: string, type: ResourceType, namespace: string | undefined): string {
  requireScope(verb, type, namespace);
  return resourcePath(type, { namespace });
}

function purposeOf(verb: string, type: ResourceType, key: ObjectKey, subresource: string | undefined): string {
  const resource = subresource === undefined ? groupResourceText(type) : `${groupResourceText(type)}/${subresource}`;
  return `${verb} ${resource} ${keyText(type.namespaced ? key : { name: key.name })}`;
}

function manyPurpose(verb: string, type: ResourceType, namespace: string | undefined): string {
  const where = type.namespaced && namespace !== undefined ? ` in namespace ${namespace}` : '';
  return `${verb} ${groupResourceText(type)}${where}`;
}
