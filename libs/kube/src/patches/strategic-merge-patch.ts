import { isJsonObject } from '../http/exact-json.ts';

type JsonMap = Record<string, unknown>;

/** The lists of built-in kinds that a strategic merge joins by a key instead of replacing (`patchMergeKey`). */
const mergeKeys: Readonly<Record<string, string>> = {
  addresses: 'type',
  conditions: 'type',
  containers: 'name',
  drivers: 'name',
  env: 'name',
  ephemeralContainers: 'name',
  hostAliases: 'ip',
  imagePullSecrets: 'name',
  initContainers: 'name',
  matchConditions: 'name',
  ownerReferences: 'uid',
  podIPs: 'ip',
  resourceClaims: 'name',
  schedulingGates: 'name',
  secrets: 'name',
  topologySpreadConstraints: 'topologyKey',
  variables: 'name',
  volumeDevices: 'devicePath',
  volumeMounts: 'mountPath',
  volumes: 'name',
  webhooks: 'name',
};

/** Lists of plain values that are joined. */
const joined: ReadonlySet<string> = new Set(['finalizers']);

const deleteFromList = '$deleteFromPrimitiveList/';

/**
 * A strategic merge patch on a copy, with its directives `$patch`, `$retainKeys` and `$deleteFromPrimitiveList`; lists that no key joins
 * are replaced. Only for built-in kinds: of others the API server knows no keys and refuses such a patch.
 */
export const strategicMergePatch = (target: JsonMap, patch: JsonMap): JsonMap => mergedMap(target, patch);

function mergedMap(target: unknown, patch: JsonMap): JsonMap {
  const { $patch: directive, $retainKeys: retained, ...fields } = patch;
  if (directive === 'replace') return fields;
  if (directive === 'delete') return {};
  const result = new Map(Object.entries(isJsonObject(target) ? target : {}));
  if (Array.isArray(retained)) for (const field of result.keys()) if (!retained.includes(field)) result.delete(field);
  for (const [field, value] of Object.entries(fields)) {
    if (field.startsWith('$setElementOrder/')) continue;
    if (field.startsWith(deleteFromList)) {
      const name = field.slice(deleteFromList.length);
      result.set(name, without(result.get(name), value));
    } else if (value === null) result.delete(field);
    else if (Array.isArray(value)) result.set(field, mergedList(field, result.get(field), value));
    else result.set(field, isJsonObject(value) ? mergedMap(result.get(field), value) : value);
  }
  return Object.fromEntries(result);
}

const without = (list: unknown, drop: unknown): unknown =>
  Array.isArray(list) && Array.isArray(drop) ? list.filter((item) => !drop.includes(item)) : list;

function mergedList(field: string, target: unknown, patch: readonly unknown[]): unknown[] {
  const old: readonly unknown[] = Array.isArray(target) ? target : [];
  if (joined.has(field)) return [...new Set([...old, ...patch])];
  const items = patch.filter(isJsonObject);
  if (items.some((item) => item.$patch === 'replace')) return items.filter((item) => item.$patch !== 'replace');
  const key = keyOf(field, [...old, ...patch]);
  if (key === undefined || items.length < patch.length || !items.every((item) => key in item)) return [...patch];
  const merged = new Map(old.filter(isJsonObject).map((item): [unknown, JsonMap] => [item[key], item]));
  for (const item of items) {
    if (item.$patch === 'delete') merged.delete(item[key]);
    else merged.set(item[key], mergedMap(merged.get(item[key]), item));
  }
  return [...merged.values()];
}

/** `ports` are those of a container, of a Service, or of something whose ports are replaced; their elements tell. */
function keyOf(field: string, items: readonly unknown[]): string | undefined {
  if (field !== 'ports') return mergeKeys[field];
  const maps = items.filter(isJsonObject);
  if (maps.some((item) => 'containerPort' in item)) return 'containerPort';
  return maps.some((item) => 'targetPort' in item || 'nodePort' in item) ? 'port' : undefined;
}
