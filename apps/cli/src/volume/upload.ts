import { dataUploadType, podVolumeBackupType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { parseAnyVolume, uploadPodVolume, uploadVolume } from '@lateen/operations/volume';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, completedOption } from '../completion/completion.ts';
import { locationNames, snapshotClassNames } from '../completion/object-names.ts';
import { anyVolumeNames } from '../completion/volume-names.ts';
import { outputFormats, parseOutputFormat } from '../output/print-object.ts';
import { parseDuration } from '../parse-duration.ts';
import { parseKeyValues } from '../parse-key-values.ts';
import { reportMovement } from './report-movement.ts';

interface Flags {
  storageLocation?: string;
  snapshotClass?: string;
  name?: string;
  dataMoverConfig?: string;
  snapshotTimeout?: string;
  wait: boolean;
  output: string;
}

const examples = `
Examples:
  lateen volume upload shop/data
  lateen volume upload shop/data --storage-location offsite -o json
  lateen volume upload shop/web-0:scratch       # as it is in the pod, without a snapshot
  lateen volume upload shop/data --no-wait -o name`;

/** `lateen volume upload NAMESPACE/PVC` or `NAMESPACE/POD:VOLUME` */
export function volumeUploadCommand(context: CommandContext): Command {
  return new Command('upload')
    .description(
      'Move a volume to object storage: a snapshot of a claim, or a volume of a pod as it is while the pod runs',
    )
    .addArgument(
      completedArgument('<volume>', 'NAMESPACE/PVC, or NAMESPACE/POD:VOLUME for a volume of a pod', anyVolumeNames),
    )
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
    .option('--name <name>', 'name of the DataUpload or PodVolumeBackup (default: made from the volume\u2019s)')
    .option(
      '--data-mover-config <key=value,…>',
      'settings for the data mover, for example ParallelFilesUpload=4, or splitter=FIXED-4M for a database that writes in place',
    )
    .option('--snapshot-timeout <duration>', 'how long the CSI driver may take for the snapshot (default: 10m)')
    .option('--no-wait', 'return as soon as the object is created')
    .addOption(completedOption('-o, --output <format>', outputFormats.join(', '), outputFormats).default('table'))
    .addHelpText('after', examples)
    .action(async (text: string, flags: Flags, command: Command) => {
      const global = command.optsWithGlobals<GlobalOptions>();
      const format = parseOutputFormat(flags.output);
      const volume = parseAnyVolume(text);
      const options = {
        veleroNamespace: global.namespace,
        storageLocation: flags.storageLocation,
        name: flags.name,
        dataMoverConfig:
          flags.dataMoverConfig === undefined ? {} : parseKeyValues('--data-mover-config', flags.dataMoverConfig),
      };
      const snapshotTimeoutMs = parseDuration('--snapshot-timeout', flags.snapshotTimeout ?? '10m');
      if ('pod' in volume) refuseSnapshotFlags(flags);
      const ports = { kube: await context.connect(global), clock: context.clock, random: context.random };
      const shown = { wait: flags.wait, format };
      if ('pod' in volume) {
        const upload = await uploadPodVolume({ ...options, volume }, ports, context.signal);
        return await reportMovement(podVolumeBackupType, upload, shown, context, ports);
      }
      const { snapshotClass } = flags;
      const upload = await uploadVolume(
        { ...options, volume, snapshotClass, snapshotTimeoutMs },
        ports,
        context.signal,
      );
      await reportMovement(dataUploadType, upload, shown, context, ports);
    });
}

/** A volume of a pod is read without a snapshot. @throws AppError BAD_FLAG */
function refuseSnapshotFlags({ snapshotClass, snapshotTimeout }: Flags): void {
  const given = { '--snapshot-class': snapshotClass, '--snapshot-timeout': snapshotTimeout };
  for (const [flag, value] of Object.entries(given))
    if (value !== undefined)
      throw new AppError('BAD_FLAG', `${flag} is for snapshots, and a volume of a pod is read without one`, {
        nextStep: 'Name its claim to take a snapshot: NAMESPACE/PVC.',
      });
}
