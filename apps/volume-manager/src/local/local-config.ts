import type { LogFormat, LogLevel } from '@lateen/kernel';
import { portFlag, programCommand, withLogFlags } from '@lateen/process/server';
import { checkTargetPath } from '@lateen/volume';
import type { Command, OptionValues } from 'commander';
import { addEndpointFlags, type CsiEndpoint, csiEndpoint, nodeIdOf, requiredFlag } from '../csi/endpoint-flags.ts';
import { metadataPorts } from '../metadata/metadata-flags.ts';

export interface LocalConfig extends CsiEndpoint {
  nodeId: string;
  stateDirectory: string;
  logFormat: LogFormat;
  logLevel: LogLevel;
  /** Copies plainly even where the file system has reflink. */
  dropReflink: boolean;
  /** Where `lateen-volume-manager metadata` asks for blocks of this node's snapshots; undefined: nowhere. */
  blocks: { readonly port: number; readonly certificates: string } | undefined;
}

export function localCommand(): Command {
  const description = 'CSI driver csi.lateen.dev: volumes and snapshots as sparse files on this node';
  return withLogFlags(addEndpointFlags(programCommand('local', description)), 'json')
    .option('--node-id <name>', 'the name of this node')
    .option('--state-dir <directory>', 'where volumes and their records live; XFS for instant snapshots')
    .option(
      '--metadata-certificates <folder>',
      'folder with the certificate of "lateen-volume-manager metadata", which asks this node for blocks of its snapshots',
    )
    .option('--metadata-port <port>', 'where it asks', portFlag('--metadata-port'), metadataPorts.node)
    .option('--drop-reflink', 'copy plainly even where the file system has reflink (for tests)');
}

/** @throws AppError `USAGE` naming the flag */
export function localConfig(flags: OptionValues): LocalConfig {
  return {
    ...csiEndpoint(flags),
    nodeId: nodeIdOf(flags.nodeId),
    stateDirectory: checkTargetPath(requiredFlag('--state-dir', flags.stateDir), '--state-dir'),
    logFormat: flags.logFormat,
    logLevel: flags.logLevel,
    dropReflink: flags.dropReflink ?? false,
    blocks:
      flags.metadataCertificates === undefined
        ? undefined
        : {
            port: flags.metadataPort,
            certificates: checkTargetPath(flags.metadataCertificates, '--metadata-certificates'),
          },
  };
}
