import {
  type JsonPatchOperation,
  jsonPatch,
  mergePatch,
  type ObjectKey,
  type Patch,
  type ResourceType,
  strategicMergePatch,
  type Unstructured,
  type WriteOptions,
} from '@lateen/kube';
import { modified, notFound, unprocessable, unsupportedMediaType } from './api-error.ts';
import { applyObject } from './apply-object.ts';
import { parseExactly } from './exact-json.ts';
import { kindFacts } from './kind-facts.ts';
import type { ServerState } from './server-state.ts';
import { type Entry, exactCopy, typeKeyOf } from './store.ts';
import { updateObject } from './update-object.ts';

/** Handles PATCH by the type of the patch. */
export function patchObject(
  state: ServerState,
  type: ResourceType,
  key: ObjectKey,
  patch: Patch,
  options: WriteOptions,
): Entry | Unstructured {
  const { custom } = kindFacts(state.store, type);
  if (patch.type === 'strategic' && custom) {
    throw unsupportedMediaType(
      'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  }
  const body = parseExactly(JSON.stringify(patch.body));
  if (patch.type === 'apply') return applyObject(state, type, key, { ...patch, body }, { ...options, custom });
  const entry = state.store.get(typeKeyOf(type), key);
  if (entry === undefined) throw notFound(type, key.name);
  const next = patched(exactCopy(entry), patch.type, body) as Unstructured;
  const asked = next.metadata.resourceVersion;
  if (asked !== undefined && asked !== String(entry.version)) throw modified(type, key.name);
  return updateObject(state, type, key, next, { ...options, fromPatch: true });
}

function patched(current: Unstructured, type: Exclude<Patch['type'], 'apply'>, body: unknown): unknown {
  switch (type) {
    case 'merge':
      return mergePatch(current, body);
    case 'json':
      return jsonPatched(current, body as JsonPatchOperation[]);
    case 'strategic':
      return strategicMergePatch(current, body as Record<string, unknown>);
    default:
      return type satisfies never;
  }
}

/** The API server does not say which operation failed. */
function jsonPatched(current: Unstructured, operations: readonly JsonPatchOperation[]): unknown {
  try {
    return jsonPatch(current, operations, { replaceMissing: 'add' });
  } catch {
    throw unprocessable();
  }
}
