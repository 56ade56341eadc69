import type { BackupRepository, ConfigMap, LabelSelector, ResourceRequirements } from '@lateen/api-types';
import { asksForSomething, readPodResources } from '@lateen/kube';
import type { MaintenanceJobSettings } from '../job/maintenance-job.ts';

/** The default number of ended Jobs kept for a repository (api.md section 17.2). */
export const keepLatestDefault = 3;

/** The maximum number: each is a Job and a pod, and their results are in the status. */
export const keepLatestMax = 20;

export interface MaintenanceSettings extends MaintenanceJobSettings {
  keepLatestMaintenanceJobs: number;
}

export interface SettingsReading {
  settings: MaintenanceSettings;
  /** What does not count, and why; for the log. */
  problems: string[];
}

/** The key of one repository's own settings. */
export const settingsKey = ({ spec }: BackupRepository): string =>
  `${spec.volumeNamespace}-${spec.backupStorageLocation}-${spec.repositoryType ?? ''}`;

/**
 * The settings of maintenance Jobs for one repository (api.md section 17.2): its own key wins for resources, affinity
 * and the number of kept Jobs; priority class, labels and annotations are for all. An invalid block is ignored,
 * and maintenance continues. Pure.
 */
export function maintenanceSettings(config: ConfigMap | undefined, repository: BackupRepository): SettingsReading {
  const problems: string[] = [];
  const [forAll, own] = ['global', settingsKey(repository)].map((key) => blockOf(config, key, problems));
  const both = (name: string): unknown => own?.[name] ?? forAll?.[name];
  const resources = both('podResources') === undefined ? undefined : readPodResources(both('podResources'));
  if (resources !== undefined && 'problem' in resources) problems.push(`podResources: ${resources.problem}`);
  const settings: MaintenanceSettings = {
    keepLatestMaintenanceJobs: keepOf(both('keepLatestMaintenanceJobs'), problems),
    resources: resources !== undefined && 'resources' in resources ? whatIsAsked(resources) : undefined,
    nodeSelector: selectorOf(both('loadAffinity'), problems),
    priorityClassName: textOf(forAll, 'priorityClassName', problems),
    podLabels: textsOf(forAll, 'podLabels', problems),
    podAnnotations: textsOf(forAll, 'podAnnotations', problems),
  };
  return { settings, problems };
}

/** Undefined: best effort. */
const whatIsAsked = ({ resources }: { resources: ResourceRequirements }): ResourceRequirements | undefined =>
  asksForSomething(resources) ? resources : undefined;

type Block = Readonly<Record<string, unknown>>;

function blockOf(config: ConfigMap | undefined, key: string, problems: string[]): Block | undefined {
  const text = config?.data?.[key];
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (isBlock(parsed)) return parsed;
    problems.push(`${key}: it is not a JSON object`);
  } catch {
    problems.push(`${key}: it is not JSON`);
  }
  return undefined;
}

const isBlock = (value: unknown): value is Block =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function keepOf(value: unknown, problems: string[]): number {
  if (value === undefined) return keepLatestDefault;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return Math.min(value, keepLatestMax);
  problems.push(`keepLatestMaintenanceJobs: ${JSON.stringify(value)} is not a whole number from 0`);
  return keepLatestDefault;
}

/** Only the first entry counts. */
function selectorOf(value: unknown, problems: string[]): LabelSelector | undefined {
  if (value === undefined) return undefined;
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  if (isBlock(first) && isBlock(first.nodeSelector)) return first.nodeSelector as LabelSelector;
  problems.push('loadAffinity: it is not a list of entries with a nodeSelector');
  return undefined;
}

function textOf(block: Block | undefined, name: string, problems: string[]): string | undefined {
  const value = block?.[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  problems.push(`${name}: it is not a string`);
  return undefined;
}

function textsOf(block: Block | undefined, name: string, problems: string[]): Record<string, string> | undefined {
  const value = block?.[name];
  if (value === undefined) return undefined;
  if (isBlock(value) && Object.values(value).every((each) => typeof each === 'string')) {
    return value as Record<string, string>;
  }
  problems.push(`${name}: it is not a set of strings`);
  return undefined;
}
