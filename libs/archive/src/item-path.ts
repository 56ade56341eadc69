export interface ItemPlace {
  /** Plural with its group: `pods`, `deployments.apps`. */
  groupResource: string;
  /** Absent for cluster-scoped objects. */
  namespace?: string;
  name: string;
}

/** What a path of an archive says about the object in it. */
export interface ParsedItemPath extends ItemPlace {
  /** Absent in the path that names no version. */
  version?: string;
  /** Whether the API server preferred that version; absent with it. */
  preferred?: boolean;
}

const root = 'resources';
const preferredEnding = '-preferredversion';
const fileEnding = '.json';

/**
 * Where an object is in the archive (object-store-layout.md section 4): with the version that the API server prefers in two
 * places, one of which names no version; with any other in one.
 */
export function itemPaths(item: ItemPlace & { version: string; preferred: boolean }): string[] {
  const { groupResource, namespace, name, version, preferred } = item;
  const scope = namespace === undefined ? 'cluster' : `namespaces/${namespace}`;
  const at = (versionDirectory: string) => `${root}/${groupResource}/${versionDirectory}${scope}/${name}${fileEnding}`;
  return preferred ? [at(''), at(`${version}${preferredEnding}/`)] : [at(`${version}/`)];
}

/** The inverse of {@link itemPaths}; undefined for what is no object: `metadata/version`, and whatever others put there. */
export function parseItemPath(path: string): ParsedItemPath | undefined {
  const parts = path.split('/');
  const [first, groupResource, ...rest] = parts;
  if (first !== root || !groupResource) return undefined;
  const plain = placeOf(groupResource, rest);
  if (plain !== undefined) return plain;
  const [directory = '', ...below] = rest;
  const place = directory === '' ? undefined : placeOf(groupResource, below);
  if (place === undefined) return undefined;
  const preferred = directory.endsWith(preferredEnding);
  return { ...place, version: preferred ? directory.slice(0, -preferredEnding.length) : directory, preferred };
}

/** `cluster/<name>.json` or `namespaces/<namespace>/<name>.json`. */
function placeOf(groupResource: string, parts: readonly string[]): ItemPlace | undefined {
  const file = parts.at(-1) ?? '';
  const name = file.slice(0, -fileEnding.length);
  if (!file.endsWith(fileEnding) || name === '') return undefined;
  if (parts.length === 2 && parts[0] === 'cluster') return { groupResource, name };
  const [scope, namespace] = parts;
  return parts.length === 3 && scope === 'namespaces' && namespace ? { groupResource, namespace, name } : undefined;
}
