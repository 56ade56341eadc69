import { AppError, isAppError } from '@lateen/errors';
import { type LogFormat, type LogLevel, logFormats, logLevels } from '@lateen/kernel';
import { Command, CommanderError, Option, type OptionValues } from 'commander';
import { booleanFlag } from './boolean-flag.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What every server that speaks with the cluster can be told. */
export interface ClusterServerConfig {
  kubeconfig: string | undefined;
  /** Namespace of the installation. */
  namespace: string;
  logLevel: LogLevel;
  logFormat: LogFormat;
  /** Of probes and metrics. */
  address: string;
  port: number;
  environment: Environment;
}

/** What every server of backups can be told. */
export interface ServerConfig extends ClusterServerConfig {
  /** Volumes of pods may be read and written through the pods that mount them; false where the installation has no rights for it. */
  podVolumes: boolean;
}

/** The command line of a server with the flags of {@link ServerConfig}; the server adds its own. */
export function serverCommand(name: string, description: string, environment: Environment): Command {
  return clusterServerCommand(name, description, environment.VELERO_NAMESPACE || 'velero').addOption(
    booleanFlag('--use-pod-volumes', 'back up and restore volumes of pods through the pods that mount them', true),
  );
}

/** The same with the flags of {@link ClusterServerConfig} alone. */
export function clusterServerCommand(name: string, description: string, namespace: string): Command {
  return withLogFlags(programCommand(name, description), 'text')
    .option('--kubeconfig <file>', 'kubeconfig file; without it KUBECONFIG, ~/.kube/config or the service account')
    .option('--namespace <name>', 'namespace of the installation', namespace)
    .option('--address <ip>', 'address of probes and metrics', '0.0.0.0')
    .option('--port <port>', 'port of probes and metrics; 0 picks one', portFlag('--port'), 8085);
}

/** A command line that ends in `parseServerFlags`, without any flag. */
export function programCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
}

export function withLogFlags(command: Command, usualFormat: LogFormat): Command {
  return command
    .addOption(new Option('--log-level <level>', 'least level to log').choices(logLevels).default('info'))
    .addOption(new Option('--log-format <format>', 'format of the log').choices(logFormats).default(usualFormat));
}

/**
 * The values of all flags. `--help` throws a CommanderError with exit code 0 after printing, which `serverExitCode` knows.
 * @throws USAGE naming the flag
 */
export function parseServerFlags(command: Command, argv: readonly string[]): OptionValues {
  try {
    return command.parse([...argv], { from: 'user' }).opts();
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) throw error;
    const text = error instanceof Error ? error.message.replace(/^error: /, '') : String(error);
    const nextStep = isAppError(error) ? error.nextStep : undefined;
    throw new AppError('USAGE', text, { nextStep: nextStep ?? `See ${command.name()} --help.` });
  }
}

export const serverConfig = (flags: OptionValues, environment: Environment): ServerConfig => ({
  ...clusterServerConfig(flags, environment),
  podVolumes: flags.usePodVolumes,
});

export const clusterServerConfig = (flags: OptionValues, environment: Environment): ClusterServerConfig => ({
  kubeconfig: flags.kubeconfig,
  namespace: flags.namespace,
  logLevel: flags.logLevel,
  logFormat: flags.logFormat,
  address: flags.address,
  port: flags.port,
  environment,
});

/** Reads the value of a flag that is a port. 0 picks one. */
export const portFlag =
  (flag: string) =>
  (text: string): number => {
    const port = Number(text);
    if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
    throw new AppError('USAGE', `${flag} "${text}" is not a port number`);
  };
