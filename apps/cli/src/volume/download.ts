import { dataDownloadType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import {
  type DownloadSource,
  downloadVolume,
  parseVolumeReference,
  sourceOfUpload,
  type VolumeMode,
} from '@lateen/operations/volume';
import { Command, Option } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, completedOption } from '../completion/completion.ts';
import { locationNames, namespaceNames, storageClassNames } from '../completion/object-names.ts';
import { completedUploads, volumeNames } from '../completion/volume-names.ts';
import { outputFormats, parseOutputFormat } from '../output/print-object.ts';
import { parseDuration } from '../parse-duration.ts';
import { parseKeyValues } from '../parse-key-values.ts';
import { reportMovement } from './report-movement.ts';

interface Flags {
  from?: string;
  snapshotId?: string;
  sourceNamespace?: string;
  storageLocation?: string;
  size?: string;
  storageClass?: string;
  volumeMode?: VolumeMode;
  name?: string;
  dataMoverConfig?: string;
  operationTimeout: string;
  wait: boolean;
  output: string;
}

/** `lateen volume download NAMESPACE/PVC --from UPLOAD` */
export function volumeDownloadCommand(context: CommandContext): Command {
  return new Command('download')
    .description('Restore a volume from object storage into a PVC, which is created if it does not exist')
    .addArgument(
      completedArgument('<namespace/pvc>', 'the volume to restore into; it must not be bound yet', volumeNames),
    )
    .addOption(completedOption('--from <upload>', 'the DataUpload whose snapshot is restored', completedUploads))
    .option(
      '--snapshot-id <id>',
      'the snapshot, when its DataUpload is gone (with --source-namespace and --storage-location)',
    )
    .addOption(completedOption('--source-namespace <name>', 'namespace that the snapshot was taken in', namespaceNames))
    .addOption(
      completedOption('--storage-location <name>', 'BackupStorageLocation that holds the snapshot', locationNames),
    )
    .option('--size <quantity>', 'size of a new PVC (default: that of the source PVC if it is still there)')
    .addOption(
      completedOption(
        '--storage-class <name>',
        'storage class of a new PVC (default: that of the snapshot)',
        storageClassNames,
      ),
    )
    .addOption(
      new Option('--volume-mode <mode>', 'of a new PVC (default: that of the source PVC if it is still there)').choices(
        ['Filesystem', 'Block'],
      ),
    )
    .option('--name <name>', 'name of the DataDownload (default: made from the PVC\u2019s)')
    .option('--data-mover-config <key=value,…>', 'settings for the data mover, for example WriteSparseFiles=false')
    .option('--operation-timeout <duration>', 'limit for each operation on cluster resources', '10m')
    .option('--no-wait', 'return as soon as the DataDownload is created')
    .addOption(completedOption('-o, --output <format>', outputFormats.join(', '), outputFormats).default('table'))
    .addHelpText(
      'after',
      '\nA storage class that waits for its first consumer needs a pod that uses the PVC; the restore begins when it is scheduled.' +
        '\n\nExamples:\n  lateen volume download restored/data --from data-x7k2p --size 2Gi' +
        '\n  lateen volume download restored/data --snapshot-id 9f2d6c0e1b7a4853a1c4e7f00d5b6a12 --source-namespace shop --storage-location default --size 2Gi --storage-class fast',
    )
    .action(async (volume: string, flags: Flags, command: Command) => {
      const global = command.optsWithGlobals<GlobalOptions>();
      const format = parseOutputFormat(flags.output);
      const target = parseVolumeReference(volume);
      const dataMoverConfig =
        flags.dataMoverConfig === undefined ? {} : parseKeyValues('--data-mover-config', flags.dataMoverConfig);
      const operationTimeoutMs = parseDuration('--operation-timeout', flags.operationTimeout);
      checkSourceFlags(flags);
      const kube = await context.connect(global);
      const ports = { kube, clock: context.clock, random: context.random };
      const source = await readSource(flags, kube, global.namespace, context.signal);
      const download = await downloadVolume(
        {
          target,
          source,
          veleroNamespace: global.namespace,
          size: flags.size,
          storageClass: flags.storageClass,
          volumeMode: flags.volumeMode,
          name: flags.name,
          dataMoverConfig,
          operationTimeoutMs,
        },
        ports,
        context.signal,
      );
      await reportMovement(dataDownloadType, download, { wait: flags.wait, format }, context, ports);
    });
}

function checkSourceFlags(flags: Flags): void {
  const byId = flags.snapshotId !== undefined;
  if (byId === (flags.from !== undefined))
    throw new AppError('BAD_FLAG', 'give either --from or --snapshot-id', {
      nextStep: 'Use --from with the name of a DataUpload; --snapshot-id is for when that is gone.',
    });
  if (byId && (flags.sourceNamespace === undefined || flags.storageLocation === undefined))
    throw new AppError('BAD_FLAG', '--snapshot-id needs --source-namespace and --storage-location', {
      nextStep: 'The repository is found by the namespace that the snapshot was taken in and the location it is in.',
    });
}

async function readSource(
  flags: Flags,
  kube: KubeApi,
  namespace: string,
  signal: AbortSignal,
): Promise<DownloadSource> {
  if (flags.from !== undefined) return await sourceOfUpload(kube, namespace, flags.from, signal);
  return {
    snapshotId: flags.snapshotId ?? '',
    sourceNamespace: flags.sourceNamespace ?? '',
    storageLocation: flags.storageLocation ?? '',
  };
}
