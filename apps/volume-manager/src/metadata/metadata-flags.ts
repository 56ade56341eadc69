import { AppError } from '@lateen/errors';
import { portFlag } from '@lateen/process/server';
import { checkTargetPath } from '@lateen/volume';
import type { Command, OptionValues } from 'commander';

/** How the SnapshotMetadata sidecar beside this program is reached by others. */
export interface MetadataPlace {
  /** Name of the Service, in our namespace, whose address goes into the SnapshotMetadataService. */
  readonly service: string;
  /** Shared with the sidecar, which reads its certificate there when it starts. */
  readonly directory: string;
  /** Where this program listens for what the Service gets. */
  readonly port: number;
}

/** Where the front listens, and where nodes tell the blocks of their snapshots, unless flags say otherwise. */
export const metadataPorts = { front: 9811, node: 9812 } as const;

export function addMetadataFlags(command: Command): Command {
  return command
    .option(
      '--metadata-service <name>',
      'Service by which the sidecar csi-snapshot-metadata beside this program is reached; without it none is announced',
    )
    .option('--metadata-directory <path>', 'folder shared with that sidecar, for its certificate', '/metadata')
    .option(
      '--metadata-port <number>',
      'port to which that Service leads',
      portFlag('--metadata-port'),
      metadataPorts.front,
    );
}

/** Undefined without --metadata-service. @throws AppError `USAGE` naming the flag */
export function metadataPlace(flags: OptionValues): MetadataPlace | undefined {
  if (flags.metadataService === undefined) return undefined;
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(flags.metadataService))
    throw new AppError('USAGE', `--metadata-service "${flags.metadataService}" is not the name of a Service`);
  return {
    service: flags.metadataService,
    directory: checkTargetPath(flags.metadataDirectory, '--metadata-directory'),
    port: flags.metadataPort,
  };
}
