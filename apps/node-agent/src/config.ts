import { availableParallelism } from 'node:os';
import { AppError } from '@lateen/errors';
import { parseDurationMs } from '@lateen/kernel';
import type { LogFormat, LogLevel } from '@lateen/logging';
import { Command, CommanderError, Option } from 'commander';

export interface NodeAgentConfig {
  kubeconfig: string | undefined;
  /** Namespace of the installation. */
  namespace: string;
  /** The node that this is the agent of. */
  node: string;
  logLevel: LogLevel;
  logFormat: LogFormat;
  prepareTimeoutMs: number;
  /** Of one movement, when its hosting pod is lost for a reason outside the data. */
  attempts: number;
  /** Unless the config map says otherwise. */
  concurrency: number;
  /** Name of the ConfigMap with settings for the agents, if any. */
  configMap: string | undefined;
  /** Name of the ConfigMap with settings for backup repositories, if any: how large a restore's cache is. */
  repositoryConfigMap: string | undefined;
  /** Of probes and metrics. */
  address: string;
  port: number;
  environment: Readonly<Record<string, string | undefined>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Flags first, then the environment. `--help` throws a CommanderError with exit code 0 after printing.
 * @throws USAGE naming the flag or variable
 */
export function readConfig(argv: readonly string[], environment: Environment): NodeAgentConfig {
  const program = flagsOf(environment);
  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) throw error;
    if (!(error instanceof CommanderError)) throw error;
    throw new AppError('USAGE', error.message.replace(/^error: /, ''), { nextStep: 'See lateen-node-agent --help.' });
  }
  const flags = program.opts();
  if (flags.node === undefined || flags.node === '')
    throw new AppError('USAGE', 'the name of the node is not known', {
      nextStep: 'Set NODE_NAME from spec.nodeName in the pod, or give --node.',
    });
  return {
    kubeconfig: flags.kubeconfig,
    namespace: flags.namespace,
    node: flags.node,
    logLevel: flags.logLevel,
    logFormat: flags.logFormat,
    prepareTimeoutMs: flags.dataMoverPrepareTimeout,
    attempts: flags.dataMoverAttempts,
    concurrency: flags.concurrency,
    configMap: flags.nodeAgentConfigmap || undefined,
    repositoryConfigMap: flags.backupRepositoryConfigmap || undefined,
    address: flags.address,
    port: flags.port,
    environment,
  };
}

function flagsOf(environment: Environment) {
  return (
    new Command('lateen-node-agent')
      .description('Takes the DataUploads and DataDownloads of its node from New to their end.')
      .option('--kubeconfig <file>', 'kubeconfig file; without it KUBECONFIG, ~/.kube/config or the service account')
      .option('--namespace <name>', 'namespace of the installation', environment.VELERO_NAMESPACE || 'velero')
      .option('--node <name>', 'the node that this is the agent of', environment.NODE_NAME)
      .addOption(
        new Option('--log-level <level>', 'least level to log')
          .choices(['debug', 'info', 'warn', 'error'])
          .default('info'),
      )
      .addOption(new Option('--log-format <format>', 'format of the log').choices(['text', 'json']).default('text'))
      .addOption(
        new Option('--data-mover-prepare-timeout <duration>', 'from Accepted to Prepared')
          .argParser(positiveDuration('--data-mover-prepare-timeout'))
          .default(30 * 60_000, '30m'),
      )
      .option(
        '--data-mover-attempts <number>',
        'attempts of a movement whose pod is lost (evicted, killed, deleted); 1 never tries again',
        positiveNumber('--data-mover-attempts'),
        3,
      )
      .addOption(
        new Option('--concurrency <number>', 'data paths at the same time on this node')
          .argParser(positiveNumber('--concurrency'))
          .default(availableParallelism(), 'one for each CPU'),
      )
      .option('--node-agent-configmap <name>', 'ConfigMap with settings for the agents (see README.md)')
      .option('--backup-repository-configmap <name>', 'ConfigMap with settings for backup repositories: cacheLimitMB')
      // For volumes of pods, which this version does not move; accepted so that the reference's manifests work.
      .option('--resource-timeout <duration>', 'how long to wait for resources', positiveDuration('--resource-timeout'))
      .option('--address <ip>', 'address of probes and metrics', '0.0.0.0')
      .option('--port <port>', 'port of probes and metrics; 0 picks one', parsePort, 8085)
      .allowExcessArguments(false)
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
  );
}

const positiveDuration = (flag: string) => (text: string) => {
  const ms = parseDurationMs(text);
  if (ms === undefined || ms <= 0)
    throw new AppError('USAGE', `${flag} "${text}" is not a positive duration`, {
      nextStep: 'Write it as 30m or 90s.',
    });
  return ms;
};

const positiveNumber = (flag: string) => (text: string) => {
  const number = Number(text);
  if (!Number.isInteger(number) || number <= 0)
    throw new AppError('USAGE', `${flag} "${text}" is not a positive whole number`);
  return number;
};

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new AppError('USAGE', `--port "${text}" is not a port number`);
}
