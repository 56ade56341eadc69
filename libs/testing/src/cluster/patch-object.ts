import type { JsonPatchOperation, ObjectKey, Patch, ResourceType, Unstructured, WriteOptions } from '@lateen/kube';
import { badRequest, modified, notFound, unsupportedMediaType } from './api-error.ts';
import { createObject } from './create-object.ts';
import { parseExactly } from './exact-json.ts';
import { jsonPatch } from './json-patch.ts';
import { kindFacts } from './kind-facts.ts';
import { mergePatch, strategicMergePatch } from './merge-patch.ts';
import type { ServerState } from './server-state.ts';
import { type Entry, exactCopy, typeKeyOf } from './store.ts';
import { updateObject } from './update-object.ts';

/**
 * What PATCH does. Server-side apply is modelled as create-or-merge: lists of built-in kinds join by key, fields that
 * a manager no longer sends stay, and there are no conflicts between managers.
 */
export function patchObject(
  state: ServerState,
  type: ResourceType,
  key: ObjectKey,
  patch: Patch,
  options: WriteOptions,
): Entry | Unstructured {
  const facts = kindFacts(state.store, type);
  if (patch.type === 'strategic' && facts.custom) {
    throw unsupportedMediaType(
      'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  }
  const body = parseExactly(JSON.stringify(patch.body));
  const entry = state.store.get(typeKeyOf(type), key);
  if (patch.type === 'apply') {
    checkApply(body, options);
    if (entry === undefined) return createObject(state, type, named(body as Unstructured, key), options);
  }
  if (entry === undefined) throw notFound(type, key.name);
  const next = patched(exactCopy(entry), patch.type, body, facts.custom) as Unstructured;
  const asked = next.metadata.resourceVersion;
  if (asked !== undefined && asked !== String(entry.version)) throw modified(type, key.name);
  return updateObject(state, type, key, next, { ...options, fromPatch: true });
}

function patched(current: Unstructured, type: Patch['type'], body: unknown, custom: boolean): unknown {
  switch (type) {
    case 'merge':
      return mergePatch(current, body);
    case 'json':
      return jsonPatch(current, body as JsonPatchOperation[]);
    case 'strategic':
      return strategicMergePatch(current, body);
    case 'apply':
      return custom ? mergePatch(current, body) : strategicMergePatch(current, body);
    default:
      return type satisfies never;
  }
}

function checkApply(body: unknown, options: WriteOptions): void {
  if (options.fieldManager === undefined || options.fieldManager === '') {
    throw badRequest(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  }
  const { apiVersion, kind } = body as Partial<Unstructured>;
  if (!apiVersion || !kind) throw badRequest('invalid object type: /, Kind=');
}

const named = (body: Unstructured, key: ObjectKey): Unstructured => ({
  ...body,
  metadata: { ...body.metadata, name: key.name, ...(key.namespace === undefined ? {} : { namespace: key.namespace }) },
});
