import { AppError, plainLine } from '@lateen/errors';
import { findObject, findObjects, parseObjectName, selectionToShow } from '@lateen/operations/noun';
import { newSnapshot, newVolumeBackup, snapshotNoun, storageBackupNoun, volumeNoun } from '@lateen/operations/storage';
import {
  type Backup,
  backupModes,
  backupName,
  backupStateOf,
  backupType,
  snapshotName,
  snapshotType,
  storageLabels,
} from '@lateen/storage-types';
import { Command } from 'commander';
import { collectPairs } from '../../collect-pairs.ts';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument, completedOption } from '../../completion/completion.ts';
import { metadataLines } from '../../describe/metadata-section.ts';
import { fields, orNone, page, section } from '../../output/description.ts';
import { getCommand } from '../../output/get-command.ts';
import type { ResourceColumn } from '../../output/resource-table.ts';
import { parseLabels } from '../../parse-labels.ts';
import { badFlag } from '../../refuse-flag.ts';
import { ageColumn, nameColumn, sizeText } from '../cells.ts';
import { storageDeleteCommand } from '../delete-command.ts';
import { group } from '../group.ts';
import { openStorage } from '../open-storage.ts';
import { backupNames, backupTargetNames, snapshotNames, volumeNames } from '../storage-names.ts';
import { type WaitFlags, waitFor, withWaitFlags } from '../wait-flags.ts';

const volumeOf = ({ metadata, status }: Backup): string =>
  status?.volumeName || metadata.labels?.[storageLabels.backupVolume] || '';
const targetOf = ({ metadata, status }: Backup): string =>
  status?.backupTargetName || metadata.labels?.[storageLabels.backupTarget] || '';

const columns = (nowMs: number): readonly ResourceColumn<Backup>[] => [
  nameColumn(),
  { head: 'VOLUME', cell: volumeOf },
  { head: 'STATE', cell: (backup) => backupStateOf(backup) || 'new' },
  { head: 'DONE', cell: ({ status }) => (status?.progress === undefined ? '' : `${status.progress} %`) },
  { head: 'SIZE', cell: ({ status }) => sizeText(status?.size) },
  { head: 'NEW DATA', cell: ({ status }) => sizeText(status?.newlyUploadDataSize) },
  { head: 'SNAPSHOT AT', cell: ({ status }) => status?.snapshotCreatedAt ?? '' },
  { head: 'TARGET', cell: targetOf },
  ageColumn(nowMs),
  { head: 'ERROR', cell: ({ status }) => plainLine(status?.error ?? ''), wide: true },
];

const listCommand = (context: CommandContext): Command =>
  getCommand(
    {
      noun: storageBackupNoun,
      about: 'List backups of replicated volumes in the backup targets',
      examples:
        '\nExamples:\n  lateen storage backup list --volume pvc-1\n  lateen storage backup list --target default -o wide',
      names: backupNames,
      columns,
      open: openStorage,
      only: [
        {
          option: completedOption('--volume <name>', 'only those of the volume', volumeNames),
          keeps: (backup: Backup, value: string) => volumeOf(backup) === value,
        },
        {
          option: completedOption('--target <name>', 'only those in the target', backupTargetNames),
          keeps: (backup: Backup, value: string) => targetOf(backup) === value,
        },
      ],
    },
    context,
    'list',
  ).alias('get');

interface CreateFlags extends WaitFlags {
  name?: string;
  snapshot?: string;
  mode: string;
  labels?: string;
}

function createCommand(context: CommandContext): Command {
  const command = new Command('create')
    .description('Back a volume up to its backup target, from a new snapshot or from one that is there')
    .addArgument(completedArgument('<volume>', 'name of the volume', volumeNames))
    .option('--name <name>', 'name of the backup (default: one that is made)')
    .addOption(completedOption('--snapshot <name>', 'the snapshot (default: a new one)', snapshotNames))
    .addOption(completedOption('--mode <mode>', backupModes.join(', '), backupModes).default('incremental'))
    .option('--labels <pairs>', 'labels to store with it, as key=value', collectPairs);
  return withWaitFlags(command, 'it is completed')
    .addHelpText(
      'after',
      `
Examples:
  lateen storage backup create pvc-1 --wait
  lateen storage backup create pvc-1 --snapshot snap-0123456789abcdef --mode full`,
    )
    .action(async (name: string, flags: CreateFlags, self: Command) => {
      const { signal, stdout, random } = context;
      const mode = backupModes.find((each) => each === flags.mode);
      if (mode === undefined) throw badFlag(`--mode "${flags.mode}" is not one of ${backupModes.join(', ')}`);
      const wanted = parseObjectName(storageBackupNoun, flags.name ?? backupName(random.uuid()));
      const labels = flags.labels === undefined ? {} : parseLabels(flags.labels);
      const opened = await openStorage(context, self);
      const { kube, namespace } = opened;
      const volume = await findObject(kube, volumeNoun, { namespace, name }, signal);
      const snapshot = flags.snapshot ?? snapshotName(random.uuid());
      const backup = await newVolumeBackup({ kube, namespace, signal }, volume, {
        name: wanted,
        snapshot,
        mode,
        labels,
      });
      if (flags.snapshot === undefined)
        await kube.create(snapshotType, newSnapshot(volume, { name: snapshot, labels: {} }), { signal });
      else await requireSnapshotOf(name, await findObject(kube, snapshotNoun, { namespace, name: snapshot }, signal));
      await kube.create(backupType, backup, { signal });
      stdout.write(`backup ${wanted} of snapshot ${snapshot} is requested\n`);
      if (flags.wait === true) await waitFor(context, opened, completed(wanted), flags);
    });
}

function requireSnapshotOf(
  volume: string,
  { metadata, spec }: { metadata: { name?: string }; spec: { volume: string } },
) {
  if (spec.volume !== volume)
    throw new AppError('STORAGE_REFUSED', `snapshot ${metadata.name} is of volume ${spec.volume}, not of ${volume}`);
}

const completed = (name: string) => ({
  noun: storageBackupNoun,
  name,
  goal: `backup ${name} is completed`,
  next: `lateen storage backup describe ${name}`,
  look: (seen: Backup | undefined) => {
    if (seen === undefined) throw new AppError('NO_SUCH_BACKUP', `backup ${name} was deleted before it was completed`);
    const state = backupStateOf(seen);
    if (state === 'Error')
      throw new AppError('BACKUP_ERROR', `backup ${name}: ${plainLine(seen.status?.error || 'no cause is recorded')}`);
    return state === 'Completed' ? ('done' as const) : { waits: `${state || 'new'} ${seen.status?.progress ?? 0} %` };
  },
});

/** The whole description of a backup, as text. */
export function describeStorageBackup(backup: Backup): string {
  const { spec, status = {} } = backup;
  return page([
    metadataLines(backup),
    fields([
      ['Volume', orNone(volumeOf(backup))],
      ['State', backupStateOf(backup) || 'new'],
      ['Done', `${status.progress ?? 0} %`],
      ['Error', orNone(status.error)],
      ['Target', orNone(targetOf(backup))],
      ['Mode', orNone(spec.backupMode)],
      ['Snapshot', orNone(status.snapshotName || spec.snapshotName)],
      ['Snapshot taken', orNone(status.snapshotCreatedAt)],
      ['Completed', orNone(status.backupCreatedAt)],
      ['Size', orNone(sizeText(status.size))],
      ['New data', orNone(sizeText(status.newlyUploadDataSize))],
      ['Uploaded again', orNone(sizeText(status.reUploadedDataSize))],
      ['Volume size', orNone(sizeText(status.volumeSize))],
      ['Block size', orNone(sizeText(spec.backupBlockSize))],
      ['Compression', orNone(status.compressionMethod)],
      ['URL', orNone(status.url)],
      ['Read from', orNone(status.replicaAddress)],
    ]),
    section(
      'Remarks',
      Object.entries(status.messages ?? {}).map(([kind, text]) => plainLine(`${kind}: ${text}`)),
    ),
  ]);
}

function describeCommand(context: CommandContext): Command {
  return new Command('describe')
    .description('Describe backups of replicated volumes: how far one is, why it failed, what it holds')
    .addArgument(completedArgument('[name...]', 'names (default: all)', backupNames))
    .addHelpText('after', '\nExamples:\n  lateen storage backup describe backup-0123456789abcdef')
    .action(async (names: string[], _: object, self: Command) => {
      const selection = selectionToShow(storageBackupNoun, { names, selector: undefined });
      const { kube, namespace } = await openStorage(context, self);
      const found = await findObjects(kube, storageBackupNoun, namespace, selection, context.signal);
      if (found.length === 0) context.stderr.write('No backups found\n');
      context.stdout.write(found.map(describeStorageBackup).join('\n\n'));
    });
}

/** `lateen storage backup …` */
export const storageBackupCommand = (context: CommandContext): Command =>
  group(
    'backup',
    'Back up replicated volumes as blocks to a backup target',
    ['lateen storage backup create pvc-1 --wait', 'lateen storage backup list --volume pvc-1'],
    [
      listCommand(context),
      createCommand(context),
      describeCommand(context),
      storageDeleteCommand<Backup>(
        {
          noun: storageBackupNoun,
          about: 'Delete backups, in the backup target too',
          examples: '\nExamples:\n  lateen storage backup delete backup-0123456789abcdef',
          names: backupNames,
          describe: (backup) =>
            `${backup.metadata.name} of volume ${volumeOf(backup)}, ${sizeText(backup.status?.size) || 'of unknown size'}; it goes from target ${targetOf(backup)} too`,
        },
        context,
      ),
    ],
  );
