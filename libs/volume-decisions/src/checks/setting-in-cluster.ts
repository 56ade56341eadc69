import { parseBoolean } from '@lateen/kernel';
import type { Refusal } from './check.ts';

export interface SettingInClusterSeen {
  readonly name: string;
  /** As `validateSetting` has accepted it. */
  readonly value: string;
  /** Names of the PriorityClasses there are. */
  readonly priorityClasses: ReadonlySet<string>;
  /** Volumes that are attached, by data engine. */
  readonly attached: Readonly<Record<'v1' | 'v2', number>>;
}

/** What the table of settings cannot know: what is in the cluster. */
export function checkSettingInCluster({ name, value, priorityClasses, attached }: SettingInClusterSeen): Refusal {
  if (name === 'priority-class' && value !== '' && !priorityClasses.has(value))
    return `failed to get priority class ${value} before modifying priority class setting: it does not exist`;
  const engine = name === 'v1-data-engine' ? 'v1' : name === 'v2-data-engine' ? 'v2' : undefined;
  if (engine !== undefined && parseBoolean(value) === false && attached[engine] > 0)
    return `cannot apply ${name} setting to Longhorn workloads when there are attached ${engine} volumes`;
  return undefined;
}
