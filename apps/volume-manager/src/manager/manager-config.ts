import { AppError } from '@lateen/errors';
import { type ClusterServerConfig, clusterServerCommand, clusterServerConfig, portFlag } from '@lateen/process/server';
import { type Command, Option, type OptionValues } from 'commander';

/** `none`: every client may use the REST API. `token`: users whom the cluster authenticates by a token. */
export const apiAuths = ['none', 'token'] as const;

export interface ManagerConfig extends ClusterServerConfig {
  /** The node of this manager. */
  node: string;
  /** Identifies this process among all managers, past and present, of the node. */
  identity: string;
  api: { address: string; port: number; auth: (typeof apiAuths)[number] };
  /** Image of the pods in which replicas and engines run. */
  instanceManagerImage: string;
  /** Directory for the Secret's certificate, in memory, while the process runs. */
  certificateDirectory: string;
  /** Directory below which file servers of backup targets are mounted. */
  mountDirectory: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The namespace of Longhorn's objects. */
export const storageNamespaceDefault = 'longhorn-system';

export function managerCommand(environment: Environment): Command {
  const description = 'Manages replicated volumes: runs the controllers of longhorn.io and their REST API.';
  return clusterServerCommand('manager', description, environment.POD_NAMESPACE || storageNamespaceDefault)
    .option('--node <name>', 'the node of this manager', environment.NODE_NAME)
    .option(
      '--instance-manager-image <name>',
      'image of the pods in which replicas and engines run',
      'localhost/lateen-storage:dev',
    )
    .option(
      '--certificate-directory <path>',
      'folder in memory that the certificate for instance managers is written to',
      '/tls',
    )
    .option(
      '--mount-directory <path>',
      'folder that backup targets of NFS servers are mounted below; mounting needs a privileged container',
      '/run/lateen-backup-targets',
    )
    .option('--api-address <ip>', 'address of the REST API', '0.0.0.0')
    .option('--api-port <port>', 'port of the REST API; 0 picks one', portFlag('--api-port'), 9500)
    .addOption(
      new Option('--api-auth <how>', 'who may use the REST API: everybody, or who has a token of the cluster')
        .choices(apiAuths)
        .default('none'),
    );
}

/** @throws AppError `USAGE` naming the flag */
export function managerConfig(flags: OptionValues, environment: Environment): ManagerConfig {
  if (flags.node === undefined || flags.node === '')
    throw new AppError('USAGE', 'the name of the node is not known', {
      nextStep: 'Set NODE_NAME from spec.nodeName in the pod, or give --node.',
    });
  return {
    ...clusterServerConfig(flags, environment),
    node: flags.node,
    identity: environment.POD_NAME || environment.HOSTNAME || 'lateen-volume-manager',
    instanceManagerImage: flags.instanceManagerImage,
    certificateDirectory: flags.certificateDirectory,
    mountDirectory: flags.mountDirectory,
    api: { address: flags.apiAddress, port: flags.apiPort, auth: flags.apiAuth },
  };
}
