import type { BackupSpec } from '@lateen/api-types';
import { globTest, isGlob } from '@lateen/item-filters';

/**
 * What a backup keeps others waiting for. One that names namespaces claims those; one that takes all of them claims the cluster
 * as a whole, which only another of its kind does. A backup of the cluster and one of a namespace therefore run at the same time
 * (docs/adr/0031): a pod whose hooks both would run is the business of the engine, which takes a turn per pod.
 */
export type BackupScope = 'cluster' | ReadonlySet<string>;

/**
 * Names that are given without a glob count also when there is no such namespace at the moment: order is kept when it is made
 * meanwhile. Globs count for the namespaces that there are. Pure.
 */
export function backupScope(
  spec: Pick<BackupSpec, 'includedNamespaces' | 'excludedNamespaces'>,
  liveNamespaces: readonly string[],
): BackupScope {
  const included = spec.includedNamespaces ?? [];
  if (included.length === 0 || included.includes('*')) return 'cluster';
  const excluded = (spec.excludedNamespaces ?? []).map(globTest);
  const globs = included.filter(isGlob).map(globTest);
  const found = globs.length === 0 ? [] : liveNamespaces.filter((name) => globs.some((fits) => fits(name)));
  const named = included.filter((name) => !isGlob(name));
  return new Set([...named, ...found].filter((name) => !excluded.some((fits) => fits(name))));
}

/** Scopes that are taken; what overlaps one of them has to wait. */
export class ClaimedScopes {
  #cluster = false;
  readonly #names = new Set<string>();

  add(scope: BackupScope): void {
    if (scope === 'cluster') this.#cluster = true;
    else for (const name of scope) this.#names.add(name);
  }

  overlaps(scope: BackupScope): boolean {
    if (scope === 'cluster') return this.#cluster;
    for (const name of scope) if (this.#names.has(name)) return true;
    return false;
  }
}
