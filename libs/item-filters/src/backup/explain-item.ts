import { type BackupFiltersInput, compileFilters } from './backup-filters.ts';
import type { Decision, ItemFacts, ItemOrigin } from './item-facts.ts';

/** One rule and what it said of an object. */
export interface ExplanationStep {
  /** `namespaces of the backup`, `labels` … */
  rule: string;
  /** Absent: it lets the object pass. */
  leavesOut?: string;
}

export type Explanation = Decision & {
  /** In the order in which they were asked; none after the one that leaves the object out. */
  steps: readonly ExplanationStep[];
};

/** Why an object is in a backup with this spec, or why not: the rules that a backup asks, one by one. For a person; not for every object. */
export function explainItem(input: BackupFiltersInput, item: ItemFacts, origin: ItemOrigin = {}): Explanation {
  const steps: ExplanationStep[] = [];
  for (const { rule, always, test } of compileFilters(input).checks) {
    if (origin.mustInclude === true && always !== true) continue;
    const reason = test(item, origin);
    steps.push(reason === undefined ? { rule } : { rule, leavesOut: reason });
    if (reason !== undefined) return { included: false, reason, steps };
  }
  return { included: true, steps };
}
