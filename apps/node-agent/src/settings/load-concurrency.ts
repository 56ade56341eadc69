import { matchesSelector } from '@lateen/kube';
import { labelSelectorAt } from './label-selector.ts';
import { isObject, listAt, numberAt, objectAt, type Remark, remarkUnknown, shown } from './settings-value.ts';

export interface LoadConcurrency {
  /** Data paths at the same time on this node; undefined when the ConfigMap sets none. */
  concurrency: number | undefined;
  /** Movements being prepared at the same time in the cluster; 0 means no limit. */
  prepareQueueLength: number;
}

const key = 'loadConcurrency';

/** The smallest number of the rules that match this node, otherwise the global one (data-movement.md section 8). */
export function loadConcurrencyAt(
  value: unknown,
  nodeLabels: Readonly<Record<string, string>>,
  remark: Remark,
): LoadConcurrency {
  const { globalConfig, perNodeConfig, prepareQueueLength, ...others } = objectAt(key, value, remark) ?? {};
  remarkUnknown(`${key}.`, others, [], remark);
  const positive = { least: 1, remark };
  const numbers = listAt(`${key}.perNodeConfig`, perNodeConfig, remark).map((rule) => {
    if (!isObject(rule)) {
      remark(`"${key}.perNodeConfig": ${shown(rule)} is ignored: it must be an object with nodeSelector and number`);
      return undefined;
    }
    remarkUnknown(`${key}.perNodeConfig.`, rule, ['nodeSelector', 'number'], remark);
    const selector = labelSelectorAt(`${key}.perNodeConfig.nodeSelector`, rule.nodeSelector ?? {}, remark);
    const number = numberAt(`${key}.perNodeConfig.number`, rule.number ?? 0, positive);
    return selector !== undefined && matchesSelector(selector, nodeLabels) ? number : undefined;
  });
  const least = Math.min(...numbers.filter((number) => number !== undefined));
  const everywhere = numberAt(`${key}.globalConfig`, globalConfig, positive);
  return {
    concurrency: Number.isFinite(least) ? least : everywhere,
    prepareQueueLength: numberAt(`${key}.prepareQueueLength`, prepareQueueLength, { least: 0, remark }) ?? 0,
  };
}
