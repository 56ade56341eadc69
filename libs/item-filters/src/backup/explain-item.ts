import type { Namespace } from '@lateen/api-types';
import type { Decision, ItemFacts, ItemOrigin } from '../items/item-facts.ts';
import { namespacesResource } from '../resources/resource-choice.ts';
import { type BackupFilters, type BackupFiltersInput, compileFilters } from './backup-filters.ts';

/** One rule and its result for an object. */
export interface ExplanationStep {
  /** `namespaces of the backup`, `labels` … */
  rule: string;
  /** Why the rule excludes the object; absent: the object passes. */
  leavesOut?: string;
}

export type Explanation = Decision & {
  /** In the order of evaluation; the rule that excludes the object is the last. */
  steps: readonly ExplanationStep[];
};

/** Explains why an object is in a backup with this spec or not, rule by rule. For a user's question, not for every object of a backup. */
export function explainItem(input: BackupFiltersInput, item: ItemFacts, origin: ItemOrigin = {}): Explanation {
  const filters = compileFilters(input);
  const isAdditional = origin.additional === true || origin.mustInclude === true;
  if (item.groupResource === namespacesResource && !isAdditional) return explainNamespace(filters, item);
  const steps: ExplanationStep[] = [];
  for (const { rule, always, test } of filters.checks) {
    if (origin.mustInclude === true && always !== true) continue;
    const reason = test(item, origin);
    steps.push(reason === undefined ? { rule } : { rule, leavesOut: reason });
    if (reason !== undefined) return { included: false, reason, steps };
  }
  return { included: true, steps };
}

/** Explains a Namespace, which has its own rules; whether the backup has objects of it is unknown here, and the text says so. */
function explainNamespace(filters: Pick<BackupFilters, 'decideNamespace'>, item: ItemFacts): Explanation {
  const namespace: Namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: item.name, ...(item.labels === undefined ? {} : { labels: { ...item.labels } }) },
    status: { phase: item.isTerminating ? 'Terminating' : 'Active' },
  };
  const rule = 'Namespaces';
  const decision = filters.decideNamespace(namespace, false);
  if (decision.included) return { included: true, steps: [{ rule }] };
  const withItems = filters.decideNamespace(namespace, true);
  const reason = withItems.included
    ? 'its labels do not match; it is stored only with an object of it that is in the backup'
    : decision.reason;
  return { included: false, reason, steps: [{ rule, leavesOut: reason }] };
}
