import type { DiscoveredType } from '@lateen/kube';

/** metav1.APIGroupList and APIVersions, the parts we read. */
export interface GroupList {
  groups?: { name: string; versions?: { version: string }[]; preferredVersion?: { version: string } }[];
}
export interface CoreVersions {
  versions?: string[];
}

/** metav1.APIResourceList. Subresources are entries of their own: `pods/log`. */
export interface ResourceList {
  resources?: {
    name: string;
    kind: string;
    namespaced: boolean;
    singularName?: string;
    verbs?: string[];
    shortNames?: string[];
    categories?: string[];
  }[];
}

export interface GroupVersion {
  group: string;
  version: string;
}

/** Every group and version, the preferred one of each group first. */
export function groupVersions(core: CoreVersions, groups: GroupList): GroupVersion[] {
  const named = (groups.groups ?? []).flatMap(({ name, versions = [], preferredVersion }) =>
    versions
      .map(({ version }) => ({ group: name, version }))
      .sort(
        (one, two) =>
          Number(two.version === preferredVersion?.version) - Number(one.version === preferredVersion?.version),
      ),
  );
  return [...(core.versions ?? []).map((version) => ({ group: '', version })), ...named];
}

/** The types of all lists; they come in the order of {@link groupVersions}. */
export function typesOfLists(lists: readonly { at: GroupVersion; list: ResourceList }[]): DiscoveredType[] {
  const seen = new Set<string>();
  return lists.flatMap(({ at, list }) => {
    const entries = list.resources ?? [];
    return entries
      .filter(({ name }) => !name.includes('/'))
      .map((entry) => {
        const identity = `${entry.name}.${at.group}`;
        const preferred = !seen.has(identity);
        seen.add(identity);
        return {
          ...at,
          resource: entry.name,
          kind: entry.kind,
          namespaced: entry.namespaced,
          verbs: entry.verbs ?? [],
          shortNames: entry.shortNames ?? [],
          singular: entry.singularName ?? '',
          categories: entry.categories ?? [],
          subresources: subresourcesOf(entry.name, entries),
          preferred,
        };
      });
  });
}

function subresourcesOf(resource: string, entries: readonly { name: string }[]): string[] {
  const prefix = `${resource}/`;
  return entries.filter(({ name }) => name.startsWith(prefix)).map(({ name }) => name.slice(prefix.length));
}
