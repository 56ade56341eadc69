import type { BackupSpec } from '@lateen/api-types';
import { globTest, isGlob } from '@lateen/item-filters';

/**
 * The part of the cluster that a backup claims; other backups that claim it wait. A backup that names namespaces claims these; one of all
 * namespaces claims the cluster as a whole, which overlaps only with another of its kind. So a backup of the cluster and one of a namespace
 * run at the same time (docs/adr/0031): when both would run hooks in one pod, the engine lets them take turns.
 */
export type BackupScope = 'cluster' | ReadonlySet<string>;

/**
 * Names without a glob count even when no such namespace exists at the moment, so that the order is kept if it is created meanwhile. Globs
 * count for the existing namespaces. Pure.
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

/** The claimed scopes; a backup that overlaps one of them has to wait. */
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
