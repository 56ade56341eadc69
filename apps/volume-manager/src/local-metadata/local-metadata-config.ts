import { AppError } from '@lateen/errors';
import type { LogFormat, LogLevel } from '@lateen/kernel';
import { portFlag, programCommand, withLogFlags } from '@lateen/process/server';
import type { Command, OptionValues } from 'commander';
import { requiredFlag } from '../csi/endpoint-flags.ts';
import { addMetadataFlags, type MetadataPlace, metadataPlace, metadataPorts } from '../metadata/metadata-flags.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface LocalMetadataConfig {
  /** The socket for the sidecar. */
  endpoint: string;
  metadata: MetadataPlace;
  /** Where the drivers of the nodes are asked. */
  nodePort: number;
  /** The namespace of the drivers' pods, and of Service and Secret. */
  namespace: string;
  /** Labels of the drivers' pods. */
  podSelector: string;
  kubeconfig: string | undefined;
  environment: Environment;
  logFormat: LogFormat;
  logLevel: LogLevel;
}

export function localMetadataCommand(environment: Environment): Command {
  const description =
    'SnapshotMetadata of csi.lateen.dev for all nodes: passes each question on to the node that has the snapshot';
  return withLogFlags(addMetadataFlags(programCommand('metadata', description)), 'json')
    .option('--endpoint <unix socket>', 'where CSI is served to the sidecar csi-snapshot-metadata')
    .option(
      '--node-port <port>',
      'where the drivers of the nodes are asked',
      portFlag('--node-port'),
      metadataPorts.node,
    )
    .option('--pod-selector <labels>', "labels of the drivers' pods", 'app.kubernetes.io/name=lateen-csi')
    .option(
      '--namespace <name>',
      'namespace of these pods and of the Service',
      environment.POD_NAMESPACE || 'lateen-csi',
    )
    .option('--kubeconfig <file>', 'kubeconfig file; without it KUBECONFIG, ~/.kube/config or the service account');
}

/** @throws AppError `USAGE` naming the flag */
export function localMetadataConfig(flags: OptionValues, environment: Environment): LocalMetadataConfig {
  const metadata = metadataPlace(flags);
  if (metadata === undefined) throw new AppError('USAGE', '--metadata-service is missing');
  return {
    endpoint: requiredFlag('--endpoint', flags.endpoint),
    metadata,
    nodePort: flags.nodePort,
    namespace: flags.namespace,
    podSelector: flags.podSelector,
    kubeconfig: flags.kubeconfig,
    environment,
    logFormat: flags.logFormat,
    logLevel: flags.logLevel,
  };
}
