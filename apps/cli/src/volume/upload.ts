import { dataUploadType } from '@lateen/api-types';
import { parseVolumeReference, uploadVolume } from '@lateen/operations/volume';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, completedOption } from '../completion/completion.ts';
import { locationNames, snapshotClassNames } from '../completion/object-names.ts';
import { volumeNames } from '../completion/volume-names.ts';
import { outputFormats, parseOutputFormat } from '../output/print-object.ts';
import { parseDuration } from '../parse-duration.ts';
import { parseKeyValues } from '../parse-key-values.ts';
import { reportMovement } from './report-movement.ts';

interface Flags {
  storageLocation?: string;
  snapshotClass?: string;
  name?: string;
  dataMoverConfig?: string;
  snapshotTimeout: string;
  wait: boolean;
  output: string;
}

/** `lateen volume upload NAMESPACE/PVC` */
export function volumeUploadCommand(context: CommandContext): Command {
  return new Command('upload')
    .description('Take a snapshot of a volume and move it to object storage')
    .addArgument(completedArgument('<namespace/pvc>', 'the volume', volumeNames))
    .addOption(
      completedOption(
        '--storage-location <name>',
        'BackupStorageLocation to move to (default: the one marked default)',
        locationNames,
      ),
    )
    .addOption(
      completedOption(
        '--snapshot-class <name>',
        'VolumeSnapshotClass (default: chosen as Velero chooses it)',
        snapshotClassNames,
      ),
    )
    .option('--name <name>', 'name of the DataUpload (default: made from the PVC\u2019s)')
    .option(
      '--data-mover-config <key=value,…>',
      'settings for the data mover, for example ParallelFilesUpload=4, or splitter=FIXED-4M for a database that writes in place',
    )
    .option('--snapshot-timeout <duration>', 'how long the CSI driver may take for the snapshot', '10m')
    .option('--no-wait', 'return as soon as the DataUpload is created')
    .addOption(completedOption('-o, --output <format>', outputFormats.join(', '), outputFormats).default('table'))
    .addHelpText(
      'after',
      '\nExamples:\n  lateen volume upload shop/data\n  lateen volume upload shop/data --storage-location offsite -o json\n  lateen volume upload shop/data --no-wait -o name',
    )
    .action(async (volume: string, flags: Flags, command: Command) => {
      const global = command.optsWithGlobals<GlobalOptions>();
      const format = parseOutputFormat(flags.output);
      const options = {
        volume: parseVolumeReference(volume),
        veleroNamespace: global.namespace,
        storageLocation: flags.storageLocation,
        snapshotClass: flags.snapshotClass,
        name: flags.name,
        dataMoverConfig:
          flags.dataMoverConfig === undefined ? {} : parseKeyValues('--data-mover-config', flags.dataMoverConfig),
        snapshotTimeoutMs: parseDuration('--snapshot-timeout', flags.snapshotTimeout),
      };
      const ports = { kube: await context.connect(global), clock: context.clock, random: context.random };
      const upload = await uploadVolume(options, ports, context.signal);
      await reportMovement(dataUploadType, upload, { wait: flags.wait, format }, context, ports);
    });
}
