import { AppError } from '@lateen/errors';
import type { NamedResource } from './named-resources.ts';

/** The order of resources: those that come first, and those that come after all others. Names as users write them. */
export interface Priorities {
  readonly high: readonly string[];
  readonly low: readonly string[];
}

/** `--restore-resource-priorities` when it is not set (backup-and-restore.md section 12). Between both: by name. */
export const prioritiesDefault: readonly string[] = [
  'customresourcedefinitions',
  'namespaces',
  'storageclasses',
  'volumesnapshotclass.snapshot.storage.k8s.io',
  'volumesnapshotcontents.snapshot.storage.k8s.io',
  'volumesnapshots.snapshot.storage.k8s.io',
  'datauploads.velero.io',
  'persistentvolumes',
  'persistentvolumeclaims',
  'clusterroles',
  'roles',
  'serviceaccounts',
  'clusterrolebindings',
  'rolebindings',
  'secrets',
  'configmaps',
  'limitranges',
  'priorityclasses',
  'pods',
  'replicasets.apps',
  'clusterclasses.cluster.x-k8s.io',
  'endpoints',
  'services',
  '-',
  'clusterbootstraps.run.tanzu.vmware.com',
  'clusters.cluster.x-k8s.io',
  'clusterresourcesets.addons.cluster.x-k8s.io',
  'apps.kappctrl.k14s.io',
  'packageinstalls.packaging.carvel.dev',
];

const separator = '-';

/** The flag's text as a list. */
export function listedPriorities(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** An empty list means the default. @throws RESTORE_PRIORITIES_INVALID for two separators, a glob, or a resource listed twice */
export function parsePriorities(given: readonly string[]): Priorities {
  const list = given.length === 0 ? prioritiesDefault : given;
  const seen = new Set<string>();
  for (const name of list) {
    if (seen.has(name)) {
      throw invalid(
        name === separator ? 'it can have only one "-"' : `resource ${JSON.stringify(name)} is listed twice`,
      );
    }
    if (!/^(-|[a-z0-9][a-z0-9.-]*)$/.test(name)) throw invalid(`${JSON.stringify(name)} is not the name of a resource`);
    seen.add(name);
  }
  const at = list.indexOf(separator);
  return at < 0 ? { high: list, low: [] } : { high: list.slice(0, at), low: list.slice(at + 1) };
}

const invalid = (text: string) =>
  new AppError('RESTORE_PRIORITIES_INVALID', `restore resource priorities: ${text}`, {
    nextStep:
      'List names of resources, the first ones before a single "-" and the last ones after it: pods,services,-,apps.example.com.',
  });

/** Decides which of two resources comes first. Resources that are not listed are ordered by name. */
export class PriorityOrder {
  readonly #places = new Map<string, number>();

  constructor({ high, low }: Priorities, named: NamedResource) {
    const put = (name: string, place: number) => {
      const found = named(name);
      if (found !== undefined && !this.#places.has(found)) this.#places.set(found, place);
    };
    for (const [index, name] of high.entries()) put(name, index - high.length);
    for (const [index, name] of low.entries()) put(name, index + 1);
  }

  /** Whether the server's list names it, which then alone decides its place. */
  isListed(groupResource: string): boolean {
    return this.#places.has(groupResource);
  }

  /** Whether it is listed among those that come after all others. */
  isLow(groupResource: string): boolean {
    return (this.#places.get(groupResource) ?? 0) > 0;
  }

  compare(one: string, other: string): number {
    const places = (this.#places.get(one) ?? 0) - (this.#places.get(other) ?? 0);
    if (places !== 0 || one === other) return places;
    return one < other ? -1 : 1;
  }
}
