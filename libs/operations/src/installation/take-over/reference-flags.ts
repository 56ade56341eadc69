import type { Container } from '@lateen/api-types';
import type { KeptSettings } from '../install/kept-settings.ts';

/** Flags of Velero's programs that ours have too. */
const sameFlags: Readonly<Record<string, keyof KeptSettings>> = {
  'backup-repository-configmap': 'backupRepositoryConfigmap',
  'repo-maintenance-job-configmap': 'repoMaintenanceJobConfigmap',
  'node-agent-configmap': 'nodeAgentConfigmap',
  'default-repo-maintain-frequency': 'defaultRepoMaintainFrequency',
  'log-level': 'logLevel',
  'concurrent-backups': 'concurrentBackups',
  'item-block-worker-count': 'itemBlockWorkerCount',
  'default-snapshot-move-data': 'defaultSnapshotMoveData',
  'default-volumes-to-fs-backup': 'defaultVolumesToFsBackup',
  'fs-backup-timeout': 'podVolumeOperationTimeout',
  'pod-volume-operation-timeout': 'podVolumeOperationTimeout',
  features: 'features',
  'backup-sync-period': 'backupSyncPeriod',
  'garbage-collection-frequency': 'garbageCollectionFrequency',
  'schedule-skip-immediately': 'scheduleSkipImmediately',
};
const logLevels: Readonly<Record<string, string>> = {
  trace: 'debug',
  debug: 'debug',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  fatal: 'error',
  panic: 'error',
};

/** Flags and values that request what Lateen does anyway. */
const harmless: ReadonlySet<string> = new Set(['features=', 'features=EnableCSI', 'uploader-type=kopia']);

/** One flag of a command line. */
export type Flag = readonly [name: string, value: string];

/** Parses `--a=b`, `--a b` and `--a`; other words are ignored. */
export function flagsOf({ args = [], command = [] }: Container): Flag[] {
  const words = [...command, ...args];
  return words.flatMap((word, at): Flag[] => {
    if (!word.startsWith('--')) return [];
    const [name = '', ...value] = word.slice(2).split('=');
    const next = words[at + 1];
    const separate = next === undefined || next.startsWith('--') ? '' : next;
    return [[name, word.includes('=') ? value.join('=') : separate]];
  });
}

/** True when a flag requests something that Lateen has no setting for. */
export const isLost = ([name, value]: Flag): boolean =>
  sameFlags[name] === undefined && !harmless.has(`${name}=${value}`);

const booleans: readonly (keyof KeptSettings | undefined)[] = [
  'defaultSnapshotMoveData',
  'defaultVolumesToFsBackup',
  'scheduleSkipImmediately',
];

/** A boolean flag without a value is true. */
function ownValue(setting: keyof KeptSettings | undefined, value: string): string | undefined {
  if (setting === 'logLevel') return logLevels[value];
  return booleans.includes(setting) && value === '' ? 'true' : value;
}

/** A period of zero turns the sync of buckets off; every other zero duration means the default. */
const isDefault = (setting: keyof KeptSettings, value: string): boolean =>
  setting !== 'backupSyncPeriod' && /^0(s|m|h|m0s|h0m0s)?$/.test(value);

/** Converts the flags that Lateen has too into settings of `lateen install`. Pure. */
export function settingsOfFlags(flags: readonly Flag[]): KeptSettings {
  const entries = flags.flatMap(([name, value]) => {
    const setting = sameFlags[name];
    const own = ownValue(setting, value);
    if (harmless.has(`${name}=${value}`)) return [];
    // For Velero an empty name and a zero duration mean the default.
    if (setting === undefined || own === undefined || own === '' || isDefault(setting, own)) return [];
    return [[setting, own]];
  });
  return Object.fromEntries(entries);
}
