import { isJsonObject } from './exact-json.ts';

/** RFC 7386. Neither argument is changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, unknown> = isJsonObject(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete result[field];
    else result[field] = mergePatch(result[field], value);
  }
  return result;
}

/** The lists of built-in kinds that a strategic merge joins by a key instead of replacing (`patchMergeKey`). */
const mergeKeys: Record<string, string> = {
  conditions: 'type',
  containers: 'name',
  env: 'name',
  ephemeralContainers: 'name',
  imagePullSecrets: 'name',
  initContainers: 'name',
  ownerReferences: 'uid',
  ports: 'containerPort',
  secrets: 'name',
  volumeDevices: 'devicePath',
  volumeMounts: 'mountPath',
  volumes: 'name',
};

const deleteFromList = '$deleteFromPrimitiveList/';

/** A strategic merge patch, for the lists above and `finalizers`; every other list is replaced. */
export function strategicMergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  if (patch.$patch === 'replace') {
    const { $patch: _, ...rest } = patch;
    return rest;
  }
  const result: Record<string, unknown> = isJsonObject(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (field.startsWith('$setElementOrder/') || field === '$patch') continue;
    if (field.startsWith(deleteFromList)) {
      const name = field.slice(deleteFromList.length);
      const drop = Array.isArray(value) ? value : [];
      const list = result[name];
      if (Array.isArray(list)) result[name] = list.filter((item) => !drop.includes(item));
    } else if (value === null) {
      delete result[field];
    } else if (Array.isArray(value)) {
      result[field] = mergeList(field, result[field], value);
    } else {
      result[field] = strategicMergePatch(result[field], value);
    }
  }
  return result;
}

function mergeList(field: string, target: unknown, patch: unknown[]): unknown[] {
  const old: unknown[] = Array.isArray(target) ? target : [];
  if (field === 'finalizers') return [...new Set([...old, ...patch])];
  const key = mergeKeys[field];
  if (key === undefined || !patch.every((item) => isJsonObject(item) && key in item)) return patch;
  const byKey = new Map(old.filter(isJsonObject).map((item) => [item[key], item]));
  for (const item of patch.filter(isJsonObject)) {
    const id = item[key];
    if (item.$patch === 'delete') byKey.delete(id);
    else byKey.set(id, strategicMergePatch(byKey.get(id), item) as Record<string, unknown>);
  }
  return [...byKey.values()];
}
