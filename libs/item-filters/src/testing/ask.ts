import type { BackupSpec, ConfigMap, Namespace } from '@lateen/api-types';
import { backupFilters } from '../backup/backup-filters.ts';
import type { ItemFacts, ItemOrigin } from '../items/item-facts.ts';
import { parseResourcePolicies } from '../policies/parse-resource-policies.ts';
import type { ResourcePolicies } from '../policies/resource-policies.ts';
import { knownNamespaces, knownTypes, typeOf } from './known-cluster.ts';

export const configMapOf = (text: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'velero', name: 'policies' },
  data: { 'policies.yaml': text },
});

/** Parses policies from YAML without the first line, `version: v1`. */
export const policiesOf = (text: string): ResourcePolicies =>
  parseResourcePolicies(configMapOf(`version: v1\n${text}`));

export interface Asked extends ItemOrigin {
  spec?: BackupSpec;
  /** YAML without `version`. */
  policies?: string;
  labels?: Record<string, string>;
  isTerminating?: boolean;
  namespaces?: readonly Namespace[];
}

export function filtersOf({ spec = {}, policies, namespaces = knownNamespaces }: Asked) {
  const parsed = policies === undefined ? undefined : policiesOf(policies);
  return backupFilters({ spec, policies: parsed, types: knownTypes, namespaces });
}

/** `pods shop/web` or `nodes n1`. */
export function itemOf(
  what: string,
  { labels, isTerminating = false }: Pick<Asked, 'labels' | 'isTerminating'> = {},
): ItemFacts {
  const [groupResource = '', key = ''] = what.split(' ');
  const { kind, namespaced } = typeOf(groupResource);
  const [namespace, name] = namespaced ? key.split('/') : [undefined, key];
  return { groupResource, kind, namespaced, namespace, name: name ?? '', labels, isTerminating };
}

/** `in`, or the reason for the exclusion. */
export function ask(what: string, asked: Asked): string {
  const { additional, mustInclude } = asked;
  const decision = filtersOf(asked).decide(itemOf(what, asked), { additional, mustInclude });
  return decision.included ? 'in' : decision.reason;
}
