import type { BackupSettings } from '@lateen/backup';
import { type EngineBinaries, engineBinaries } from '@lateen/process';
import { parseServerFlags, type ServerConfig, serverCommand, serverConfig } from '@lateen/process/server';
import type { RestoreSettings } from '@lateen/restore';
import { type Command, Option } from 'commander';
import { addBackupFlags, backupSettings } from './backup-flags.ts';
import { durationMs, wholeNumber } from './flag-values.ts';
import { addLifecycleFlags, type LifecycleSettings, lifecycleSettings } from './lifecycle-flags.ts';
import { addPluginFlags, type PluginSettings, pluginSettings } from './plugin-flags.ts';
import { addRestoreFlags, restoreSettings } from './restore-flags.ts';

export interface ControllerConfig extends ServerConfig, EngineBinaries {
  /** Identity of this process among the replicas: the Lease's holder. */
  identity: string;
  leaderElect: boolean;
  /** The location that becomes the default when no location is marked as default; "" for none. */
  defaultLocation: string;
  /** Interval between two validations of a location that sets none itself, in ms; 0: only after changes. */
  validationFrequencyMs: number;
  /** For repositories that set none themselves; a Go duration. */
  maintenanceFrequency: string;
  /** Names of ConfigMaps; undefined: none. */
  repositoryConfigMap: string | undefined;
  maintenanceConfigMap: string | undefined;
  /** The most maintenance Jobs that run at the same time. */
  maintenanceJobsMax: number;
  backups: BackupSettings;
  restores: RestoreSettings;
  lifecycle: LifecycleSettings;
  plugins: PluginSettings;
  /** Directory for private files of the engines and large archives of restores; nothing in it outlives a run. */
  scratchDirectory: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Flags first, then the environment; `--help` as in `parseServerFlags`. @throws USAGE naming the flag */
export function readConfig(argv: readonly string[], environment: Environment): ControllerConfig {
  const flags = parseServerFlags(commandOf(environment), argv);
  return {
    ...serverConfig(flags, environment),
    ...engineBinaries(environment),
    identity: environment.POD_NAME || environment.HOSTNAME || 'lateen-controller',
    leaderElect: flags.leaderElect,
    defaultLocation: flags.defaultBackupStorageLocation,
    validationFrequencyMs: flags.storeValidationFrequency,
    maintenanceFrequency: flags.defaultRepoMaintainFrequency,
    repositoryConfigMap: flags.backupRepositoryConfigmap || undefined,
    maintenanceConfigMap: flags.repoMaintenanceJobConfigmap || undefined,
    maintenanceJobsMax: flags.repoMaintenanceJobsMax,
    backups: backupSettings(flags),
    restores: restoreSettings(flags),
    lifecycle: lifecycleSettings(flags),
    plugins: pluginSettings(flags),
    scratchDirectory: environment.VELERO_SCRATCH_DIR || environment.TMPDIR || '/tmp',
  };
}

function commandOf(environment: Environment): Command {
  const description =
    'Makes backups, restores them, and keeps the status of backup storage locations and backup repositories up to date.';
  const command = serverCommand('lateen-controller', description, environment)
    .option('--no-leader-elect', 'run without a Lease: only when there is no other replica')
    .option(
      '--default-backup-storage-location <name>',
      'location that becomes the default when none is marked; empty for none',
      'default',
    )
    .addOption(
      new Option(
        '--store-validation-frequency <duration>',
        'how often to validate locations that set no period; 0: only when something changes',
      )
        .argParser(parseFrequency)
        .default(60_000, '1m0s'),
    )
    .option(
      '--default-repo-maintain-frequency <duration>',
      'how often to maintain repositories that set no period',
      parseMaintenanceFrequency,
      '1h0m0s',
    )
    .option('--backup-repository-configmap <name>', 'ConfigMap with the configuration of new repositories, by type')
    .option('--repo-maintenance-job-configmap <name>', 'ConfigMap with the settings of maintenance Jobs')
    .option('--repo-maintenance-jobs-max <number>', 'maintenance Jobs at the same time', parseJobsMax, 4);
  return addPluginFlags(addLifecycleFlags(addRestoreFlags(addBackupFlags(command))));
}

const parseFrequency = (text: string): number => durationMs('--store-validation-frequency', text, '1m0s');

/** Zero means the default, as in Velero. */
const parseMaintenanceFrequency = (text: string): string =>
  durationMs('--default-repo-maintain-frequency', text, '1h0m0s') === 0 ? '1h0m0s' : text;

const parseJobsMax = (text: string): number => wholeNumber('--repo-maintenance-jobs-max', text, { min: 1, max: 1_000 });
