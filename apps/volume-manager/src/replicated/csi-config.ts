import type { LogFormat, LogLevel } from '@lateen/kernel';
import { programCommand, withLogFlags } from '@lateen/process/server';
import { checkTargetPath } from '@lateen/volume';
import { type Command, Option, type OptionValues } from 'commander';
import { addEndpointFlags, type CsiEndpoint, csiEndpoint, nodeIdOf } from '../csi/endpoint-flags.ts';
import { storageNamespaceDefault } from '../manager/manager-config.ts';
import { addMetadataFlags, type MetadataPlace, metadataPlace } from '../metadata/metadata-flags.ts';

/** Which services are served besides Identity: those of a node, those for the cluster's sidecars, or both. */
export const csiModes = ['node', 'controller', 'all'] as const;

export interface CsiConfig extends CsiEndpoint {
  mode: (typeof csiModes)[number];
  nodeId: string;
  /** Directory with the devices of attached volumes, named after their volumes. */
  deviceDirectory: string;
  /** Directory with the Secret of the instance managers; without it, blocks of snapshots cannot be read. */
  certificateDirectory: string | undefined;
  /** The SnapshotMetadata sidecar beside this program; undefined: there is none. */
  metadata: MetadataPlace | undefined;
  kubeconfig: string | undefined;
  /** The namespace of the longhorn.io objects. */
  namespace: string;
  logFormat: LogFormat;
  logLevel: LogLevel;
  environment: Environment;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function csiCommand(environment: Environment): Command {
  const description =
    'CSI driver driver.longhorn.io: replicated volumes, by the objects of longhorn.io that the manager acts on';
  return withLogFlags(addMetadataFlags(addEndpointFlags(programCommand('csi', description))), 'json')
    .addOption(
      new Option('--mode <mode>', 'which services are served beside identity').choices(csiModes).default('all'),
    )
    .option('--node-id <name>', 'the name of this node', environment.NODE_NAME)
    .option('--device-directory <path>', 'where devices of attached volumes are on this node', '/dev/longhorn')
    .option(
      '--certificate-directory <path>',
      'folder with the certificate for instance managers; with it the blocks of snapshots are listed (not with --mode node)',
    )
    .option('--kubeconfig <file>', 'kubeconfig file; without it KUBECONFIG, ~/.kube/config or the service account')
    .option(
      '--namespace <name>',
      'namespace of the objects of longhorn.io',
      environment.POD_NAMESPACE || storageNamespaceDefault,
    );
}

/** @throws AppError `USAGE` naming the flag */
export function csiConfig(flags: OptionValues, environment: Environment): CsiConfig {
  return {
    ...csiEndpoint(flags),
    mode: flags.mode,
    nodeId: nodeIdOf(flags.nodeId),
    deviceDirectory: checkTargetPath(flags.deviceDirectory, '--device-directory'),
    certificateDirectory: flags.certificateDirectory,
    metadata: metadataPlace(flags),
    kubeconfig: flags.kubeconfig,
    namespace: flags.namespace,
    logFormat: flags.logFormat,
    logLevel: flags.logLevel,
    environment,
  };
}
