import { labels, labelValues } from '@lateen/api-types';
import type { LabelTest } from '@lateen/kube';
import type { NamespaceSelection } from '../namespaces/namespace-selection.ts';
import type { FineFilter, FineFilters } from '../policies/fine-filters.ts';
import { namespacesResource, type ResourceVerdict } from '../resources/resource-choice.ts';
import { type Decision, type ItemFacts, type ItemOrigin, included, leftOut } from './item-facts.ts';

/** One rule, called for every object: it allocates nothing unless it excludes the object. */
export interface ItemCheck {
  /** What the rule checks, for explanations. */
  readonly rule: string;
  /** Whether the rule also applies to objects that an action says must be included. */
  readonly always?: boolean;
  /** Why the object is excluded; undefined when it passes this rule. */
  test(item: ItemFacts, origin: ItemOrigin): string | undefined;
}

export interface CheckInputs {
  namespaces: Pick<NamespaceSelection, 'includes'>;
  resource: (groupResource: string, namespaced: boolean) => ResourceVerdict;
  policyOf: (namespace: string) => FineFilters | undefined;
  clusterScoped: FineFilters | undefined;
  /** The selector of the backup or the restore; undefined: labels do not matter. */
  selector: LabelTest | undefined;
}

/** The rules of a backup in the order of their evaluation (backup-and-restore.md section 3, after-1.18.1.md 1A). */
export function backupChecks(inputs: CheckInputs): readonly ItemCheck[] {
  return [
    { rule: 'deletion', always: true, test: (item) => (item.isTerminating ? 'it is being deleted' : undefined) },
    { rule: `label ${labels.excludeFromBackup}`, test: excludedByLabel },
    ...chosenChecks('backup', inputs),
  ];
}

/** The rules of the author's choice by lists, policies and selectors: the same for a backup and a restore. */
export function chosenChecks(
  whose: 'backup' | 'restore',
  { namespaces, resource, policyOf, clusterScoped, selector }: CheckInputs,
): readonly ItemCheck[] {
  const policyFor = ({ namespaced, namespace }: ItemFacts): FineFilters | undefined =>
    namespaced ? policyOf(namespace ?? '') : clusterScoped;
  const filterFor = (item: ItemFacts): FineFilter | undefined => policyFor(item)?.of(item.groupResource, item.kind);
  return [
    {
      rule: `namespaces of the ${whose}`,
      test: (item) => {
        const name = item.namespaced ? item.namespace : namespaceItself(item);
        return name === undefined || namespaces.includes(name) ? undefined : `namespace ${name} is not included`;
      },
    },
    {
      rule: `resources of the ${whose}`,
      test: (item, { additional }) => {
        const verdict = resource(item.groupResource, item.namespaced);
        return additional === true ? verdict.additional : verdict.listed;
      },
    },
    {
      rule: "kinds of the namespace's filter policy",
      test: (item, { additional }) => {
        if (!item.namespaced || additional === true) return undefined;
        const policy = policyFor(item);
        if (policy === undefined || policy.of(item.groupResource, item.kind) !== undefined) return undefined;
        return `${policy.where} does not list ${item.groupResource}`;
      },
    },
    {
      rule: 'names of the fine-grained filter',
      test: (item) => {
        const filter = filterFor(item);
        return filter?.names === undefined || filter.names(item.name)
          ? undefined
          : `${filter.where} does not include its name`;
      },
    },
    {
      rule: 'labels',
      test: (item, { additional }) => {
        if (additional === true || namespaceItself(item) !== undefined) return undefined;
        const filter = filterFor(item);
        const test = filter === undefined ? selector : filter.labels;
        if (test === undefined || test(item.labels)) return undefined;
        return `its labels do not match ${filter?.where ?? `the label selector of the ${whose}`}`;
      },
    },
  ];
}

/** Returns the first rule that excludes the object. Rules that an action can override are skipped when it does. */
export function firstLeftOut(checks: readonly ItemCheck[], item: ItemFacts, origin: ItemOrigin): Decision {
  const must = origin.mustInclude === true;
  for (const check of checks) {
    if (must && check.always !== true) continue;
    const reason = check.test(item, origin);
    if (reason !== undefined) return leftOut(reason);
  }
  return included;
}

/** The name of a Namespace; undefined for other objects. */
const namespaceItself = ({ groupResource, name }: ItemFacts): string | undefined =>
  groupResource === namespacesResource ? name : undefined;

export function excludedByLabel({ labels: own }: Pick<ItemFacts, 'labels'>): string | undefined {
  return own?.[labels.excludeFromBackup] === labelValues.true
    ? `it has the label ${labels.excludeFromBackup}=${labelValues.true}`
    : undefined;
}
