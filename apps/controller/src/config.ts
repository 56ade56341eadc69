import { AppError } from '@lateen/errors';
import { parseDurationMs } from '@lateen/kernel';
import type { LogLevel } from '@lateen/logging';
import { Command, CommanderError, Option } from 'commander';

export interface ControllerConfig {
  kubeconfig: string | undefined;
  /** Namespace of the installation. */
  namespace: string;
  /** This process, among replicas: the Lease's holder. */
  identity: string;
  logLevel: LogLevel;
  logFormat: 'text' | 'json';
  /** Of probes and metrics. */
  address: string;
  port: number;
  leaderElect: boolean;
  /** The location that becomes the default when none is marked; "" for none. */
  defaultLocation: string;
  /** Between two validations of a location that does not say itself, in ms; 0: only when something changes. */
  validationFrequencyMs: number;
  /** Of repositories whose creator left it open, as Go writes durations. */
  maintenanceFrequency: string;
  /** Names of ConfigMaps; undefined: there is none. */
  repositoryConfigMap: string | undefined;
  maintenanceConfigMap: string | undefined;
  /** Maintenance Jobs at the same time. */
  maintenanceJobsMax: number;
  /** Private files of the engines go below it; nothing in it outlives a run. */
  scratchDirectory: string;
  engineBinary: string;
  resticBinary: string;
  environment: Readonly<Record<string, string | undefined>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Flags first, then the environment. `--help` and `--version` throw a CommanderError with exit code 0 after printing.
 * @throws USAGE naming the flag
 */
export function readConfig(argv: readonly string[], environment: Environment): ControllerConfig {
  const program = flagsOf(environment);
  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) throw error;
    const text = error instanceof Error ? error.message.replace(/^error: /, '') : String(error);
    throw new AppError('USAGE', text, { nextStep: 'See lateen-controller --help.' });
  }
  const flags = program.opts();
  return {
    kubeconfig: flags.kubeconfig,
    namespace: flags.namespace,
    identity: environment.POD_NAME || environment.HOSTNAME || 'lateen-controller',
    logLevel: flags.logLevel,
    logFormat: flags.logFormat,
    address: flags.address,
    port: flags.port,
    leaderElect: flags.leaderElect,
    defaultLocation: flags.defaultBackupStorageLocation,
    validationFrequencyMs: flags.storeValidationFrequency,
    maintenanceFrequency: flags.defaultRepoMaintainFrequency,
    repositoryConfigMap: flags.backupRepositoryConfigmap || undefined,
    maintenanceConfigMap: flags.repoMaintenanceJobConfigmap || undefined,
    maintenanceJobsMax: flags.repoMaintenanceJobsMax,
    scratchDirectory: environment.VELERO_SCRATCH_DIR || environment.TMPDIR || '/tmp',
    engineBinary: environment.LATEEN_KOPIA || 'kopia',
    resticBinary: environment.LATEEN_RESTIC || 'restic',
    environment,
  };
}

function flagsOf(environment: Environment) {
  return new Command('lateen-controller')
    .description('Watches backup storage locations and backup repositories, and keeps their status true.')
    .option('--kubeconfig <file>', 'kubeconfig file; without it KUBECONFIG, ~/.kube/config or the service account')
    .option('--namespace <name>', 'namespace of the installation', environment.VELERO_NAMESPACE || 'velero')
    .addOption(
      new Option('--log-level <level>', 'least level to log')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('info'),
    )
    .addOption(new Option('--log-format <format>', 'format of the log').choices(['text', 'json']).default('text'))
    .option('--address <ip>', 'address of probes and metrics', '0.0.0.0')
    .option('--port <port>', 'port of probes and metrics; 0 picks one', parsePort, 8085)
    .option('--no-leader-elect', 'run without a Lease: only when there is no other replica')
    .option(
      '--default-backup-storage-location <name>',
      'location that becomes the default when none is marked; empty for none',
      'default',
    )
    .addOption(
      new Option(
        '--store-validation-frequency <duration>',
        'between two validations of a location that does not say itself; 0 for only when something changes',
      )
        .argParser(parseFrequency)
        .default(60_000, '1m0s'),
    )
    .option(
      '--default-repo-maintain-frequency <duration>',
      'between two maintenance runs of a repository that does not say itself',
      parseMaintenanceFrequency,
      '1h0m0s',
    )
    .option('--backup-repository-configmap <name>', 'ConfigMap with the configuration of new repositories, by type')
    .option('--repo-maintenance-job-configmap <name>', 'ConfigMap with the settings of maintenance Jobs')
    .option('--repo-maintenance-jobs-max <number>', 'maintenance Jobs at the same time', parseJobsMax, 4)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
}

function parseFrequency(text: string): number {
  const ms = parseDurationMs(text);
  if (ms !== undefined && ms >= 0) return ms;
  const what = ms === undefined ? 'is not a duration such as 1m0s' : 'is negative';
  throw new AppError('USAGE', `--store-validation-frequency "${text}" ${what}`);
}

/** Zero asks for the default, as with the reference. */
function parseMaintenanceFrequency(text: string): string {
  const ms = parseDurationMs(text);
  if (ms === 0) return '1h0m0s';
  if (ms !== undefined && ms > 0) return text;
  const what = ms === undefined ? 'is not a duration such as 1h0m0s' : 'is negative';
  throw new AppError('USAGE', `--default-repo-maintain-frequency "${text}" ${what}`);
}

function parseJobsMax(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isInteger(number) && number >= 1 && number <= 1_000) return number;
  throw new AppError('USAGE', `--repo-maintenance-jobs-max "${text}" is not a whole number from 1 to 1000`);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new AppError('USAGE', `--port "${text}" is not a port number`);
}
