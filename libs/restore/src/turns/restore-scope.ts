import type { RestoreSpec } from '@lateen/api-types';
import { globTest, isGlob } from '@lateen/item-filters';

/** What a restore may write to, by its spec; the archive is not read for it. */
export interface RestoreScope {
  /** Namespaces of the target, globs among them; `*` for all. */
  namespaces: readonly string[];
  /** Target namespaces that are excluded from `*`. */
  except: readonly string[];
  /** Whether it restores all cluster-scoped objects, not only those that others need. */
  cluster: boolean;
}

type Named = Pick<
  RestoreSpec,
  'includedNamespaces' | 'excludedNamespaces' | 'namespaceMapping' | 'includeClusterResources' | 'dryRun'
>;

/** Undefined: the restore writes nothing. Pure. */
export function restoreScope(spec: Named): RestoreScope | undefined {
  if (spec.dryRun === true) return undefined;
  const { includedNamespaces, excludedNamespaces, namespaceMapping: mapping = {} } = spec;
  const included = includedNamespaces ?? [];
  const excluded = excludedNamespaces ?? [];
  const isAll = included.length === 0 || included.includes('*');
  const mapped = (name: string): string => mapping[name] ?? name;
  return {
    namespaces: isAll ? ['*'] : [...included.map(mapped), ...targetsOfGlobs(included, mapping)],
    except: isAll
      ? excluded.filter((name) => !isGlob(name)).filter((name) => !Object.values(mapping).includes(name))
      : [],
    cluster: spec.includeClusterResources ?? (isAll && excluded.length === 0),
  };
}

/** The targets of globs; a glob may match a namespace that is mapped. */
function targetsOfGlobs(included: readonly string[], mapping: Readonly<Record<string, string>>): string[] {
  const globs = included.filter(isGlob).map(globTest);
  return Object.entries(mapping).flatMap(([source, target]) => (globs.some((fits) => fits(source)) ? [target] : []));
}

/** Whether both may write to the same object. Two globs are always assumed to overlap. Pure. */
export function scopesOverlap(a: RestoreScope | undefined, b: RestoreScope | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.cluster && b.cluster) return true;
  return a.namespaces.some((name) => takes(b, name)) || b.namespaces.some((name) => takes(a, name));
}

const takes = ({ namespaces, except }: RestoreScope, name: string): boolean =>
  !except.includes(name) && (isGlob(name) ? namespaces.some(isGlob) : namespaces.some((each) => globTest(each)(name)));
