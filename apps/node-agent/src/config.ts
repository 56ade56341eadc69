import { AppError } from '@lateen/errors';
import { type PodVolumeSettings, podVolumeAccesses, podVolumeDefaults } from '@lateen/exposer';
import { parseDurationMs } from '@lateen/kernel';
import { parseServerFlags, type ServerConfig, serverCommand, serverConfig } from '@lateen/process/server';
import { type Command, Option } from 'commander';
import { absoluteDirectory } from './settings/pod-volume.ts';

export interface NodeAgentConfig extends ServerConfig {
  /** The node on which this node-agent runs. */
  node: string;
  prepareTimeoutMs: number;
  /** The most attempts of one movement, when its hosting pod is lost for a reason outside the data. */
  attempts: number;
  /** Used when the ConfigMap sets none; undefined when the flag is not given. */
  concurrency: number | undefined;
  /** How long one step may wait in a data mover for a volume of a running pod. */
  resourceTimeoutMs: number;
  /** Name of the ConfigMap with settings for the agents, if any. */
  configMap: string | undefined;
  /** Name of the ConfigMap with settings for backup repositories, if any: it sets the size of a restore's cache. */
  repositoryConfigMap: string | undefined;
  /** Used when the ConfigMap sets none. */
  podVolume: PodVolumeSettings;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Flags first, then the environment; `--help` as in `parseServerFlags`. @throws USAGE naming the flag or variable */
export function readConfig(argv: readonly string[], environment: Environment): NodeAgentConfig {
  const flags = parseServerFlags(addPodVolumeFlags(commandOf(environment)), argv);
  if (flags.node === undefined || flags.node === '')
    throw new AppError('USAGE', 'the name of the node is not known', {
      nextStep: 'Set NODE_NAME from spec.nodeName in the pod, or give --node.',
    });
  return {
    ...serverConfig(flags, environment),
    node: flags.node,
    prepareTimeoutMs: flags.dataMoverPrepareTimeout,
    attempts: flags.dataMoverAttempts,
    concurrency: flags.concurrency,
    resourceTimeoutMs: flags.resourceTimeout,
    configMap: flags.nodeAgentConfigmap || undefined,
    repositoryConfigMap: flags.backupRepositoryConfigmap || undefined,
    podVolume: { access: flags.podVolumeAccess, kubeletDirectory: flags.kubeletRootDir },
  };
}

function commandOf(environment: Environment): Command {
  const description =
    'Takes the DataUploads, DataDownloads, PodVolumeBackups and PodVolumeRestores of its node from New to their end.';
  return serverCommand('lateen-node-agent', description, environment)
    .option('--node <name>', 'the node of this agent', environment.NODE_NAME)
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
    .option(
      '--concurrency <number>',
      'data paths at the same time on this node (default: one for each CPU, 4 at most)',
      positiveNumber('--concurrency'),
    )
    .option('--node-agent-configmap <name>', 'ConfigMap with settings for the agents (see README.md)')
    .option('--backup-repository-configmap <name>', 'ConfigMap with settings for backup repositories: cacheLimitMB')
    .addOption(
      new Option('--resource-timeout <duration>', 'for one step of a data mover of a volume of a running pod')
        .argParser(positiveDuration('--resource-timeout'))
        .default(10 * 60_000, '10m'),
    );
}

function addPodVolumeFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--pod-volume-access <how>', 'how movers reach volumes of running pods (see README.md)')
        .choices(podVolumeAccesses)
        .default(podVolumeDefaults.access),
    )
    .option(
      '--kubelet-root-dir <path>',
      "the kubelet's root directory, for volumes of running pods",
      kubeletDirectory,
      podVolumeDefaults.kubeletDirectory,
    );
}

function kubeletDirectory(text: string): string {
  const path = absoluteDirectory(text);
  if (path !== undefined) return path;
  throw new AppError('USAGE', `--kubelet-root-dir "${text}" is not an absolute path without "." and ".."`);
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
