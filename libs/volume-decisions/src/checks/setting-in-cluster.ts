import { parseBoolean } from '@lateen/kernel';
import type { Refusal } from './check.ts';

export interface SettingInClusterSeen {
  readonly name: string;
  /** The value that `validateSetting` has accepted. */
  readonly value: string;
  /** Names of the existing PriorityClasses. */
  readonly priorityClasses: ReadonlySet<string>;
  /** Volumes that are attached, by data engine. */
  readonly attached: Readonly<Record<'v1' | 'v2', number>>;
}

/** Checks a setting against the objects of the cluster, which the table of settings does not know. */
export function checkSettingInCluster({ name, value, priorityClasses, attached }: SettingInClusterSeen): Refusal {
  if (name === 'priority-class' && value !== '' && !priorityClasses.has(value))
    return `failed to get priority class ${value} before modifying priority class setting: it does not exist`;
  const engine = name === 'v1-data-engine' ? 'v1' : name === 'v2-data-engine' ? 'v2' : undefined;
  if (engine !== undefined && parseBoolean(value) === false && attached[engine] > 0)
    return `cannot apply ${name} setting to Longhorn workloads when there are attached ${engine} volumes`;
  return undefined;
}
