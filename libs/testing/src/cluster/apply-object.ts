import {
  mergePatch,
  type ObjectKey,
  type Patch,
  type ResourceType,
  strategicMergePatch,
  type Unstructured,
  type WriteOptions,
} from '@lateen/kube';
import { applyConflict, badRequest } from './api-error.ts';
import { AppliedFields, dropField } from './applied-fields.ts';
import { createObject } from './create-object.ts';
import { isJsonObject } from './exact-json.ts';
import type { ServerState } from './server-state.ts';
import { type Entry, exactCopy, typeKeyOf } from './store.ts';
import { updateObject } from './update-object.ts';

/** The field manager of callers without one; the HTTP adapters send the same name. */
const managerDefault = 'lateen';

/**
 * Server-side apply: creates the object, or merges the applied fields into it, removes fields that the manager applied before and
 * no manager applies now, and rejects fields that another manager applied with other values, unless forced. Lists of built-in kinds
 * are merged by key. Simplified: a list as a whole has an owner, its items have none, and other writes own nothing.
 */
export function applyObject(
  state: ServerState,
  type: ResourceType,
  key: ObjectKey,
  patch: Extract<Patch, { type: 'apply' }> & { body: unknown },
  options: WriteOptions & { custom: boolean },
): Entry | Unstructured {
  const { body } = patch;
  if (!isJsonObject(body) || !body.apiVersion || !body.kind) throw badRequest('invalid object type: /, Kind=');
  if ((body.metadata as { name?: string } | undefined)?.name !== key.name) {
    throw badRequest(`the name of the object (${key.name} based on URL) was undeterminable: name must be provided`);
  }
  const manager = options.fieldManager ?? managerDefault;
  const entry = state.store.get(typeKeyOf(type), key);
  if (entry === undefined) {
    const created = createObject(state, type, named(body, key), options);
    if (options.dryRun !== true) fieldsOf(state, type, key).record(manager, {}, body);
    return created;
  }
  const current = exactCopy(entry);
  const applied = fieldsOf(state, type, key);
  const conflicts = patch.force === true ? [] : applied.conflicts(manager, current, body);
  if (conflicts.length > 0) throw applyConflict(conflicts);
  const next = (
    options.custom ? mergePatch(current, body) : strategicMergePatch(current, body as Record<string, unknown>)
  ) as Unstructured;
  if (options.dryRun !== true) {
    for (const path of applied.record(manager, current, body)) dropField(next, path);
  }
  return updateObject(state, type, key, next, { ...options, fromPatch: true });
}

function fieldsOf(state: ServerState, type: ResourceType, key: ObjectKey): AppliedFields {
  const uid = state.store.get(typeKeyOf(type), key)?.object.metadata.uid ?? '';
  const known = state.applied.get(uid) ?? new AppliedFields();
  state.applied.set(uid, known);
  return known;
}

const named = (body: Record<string, unknown>, key: ObjectKey): object => ({
  ...body,
  metadata: {
    ...(body.metadata as object | undefined),
    name: key.name,
    ...(key.namespace === undefined ? {} : { namespace: key.namespace }),
  },
});
