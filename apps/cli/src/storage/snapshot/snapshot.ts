import { AppError, byteSize, plainLine } from '@lateen/errors';
import { findObject, parseObjectName } from '@lateen/operations/noun';
import { newSnapshot, snapshotNoun, unlessRefused, volumeNoun } from '@lateen/operations/storage';
import { type Snapshot, snapshotName, snapshotType } from '@lateen/storage-types';
import { Command } from 'commander';
import { collectPairs } from '../../collect-pairs.ts';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument, completedOption } from '../../completion/completion.ts';
import { getCommand } from '../../output/get-command.ts';
import type { ResourceColumn } from '../../output/resource-table.ts';
import { parseLabels } from '../../parse-labels.ts';
import { ageColumn, nameColumn, yesNo } from '../cells.ts';
import { storageDeleteCommand } from '../delete-command.ts';
import { group } from '../group.ts';
import { openStorage } from '../open-storage.ts';
import { snapshotNames, volumeNames } from '../storage-names.ts';
import { type WaitFlags, waitFor, withWaitFlags } from '../wait-flags.ts';
import { snapshotPurgeCommand } from './purge.ts';
import { snapshotRevertCommand } from './revert.ts';

const columns = (nowMs: number): readonly ResourceColumn<Snapshot>[] => [
  nameColumn(),
  { head: 'VOLUME', cell: ({ spec }) => spec.volume },
  { head: 'READY', cell: ({ status }) => yesNo(status?.readyToUse) },
  { head: 'SIZE', cell: ({ status }) => byteSize(status?.size ?? 0) },
  { head: 'TAKEN', cell: ({ status }) => status?.creationTime ?? '' },
  {
    head: 'BY',
    cell: ({ status }) => (status?.userCreated === undefined ? '' : status.userCreated ? 'user' : 'system'),
  },
  ageColumn(nowMs),
  { head: 'PARENT', cell: ({ status }) => status?.parent ?? '', wide: true },
  { head: 'REMOVED', cell: ({ status }) => yesNo(status?.markRemoved), wide: true },
  { head: 'ERROR', cell: ({ status }) => plainLine(status?.error ?? ''), wide: true },
];

const listCommand = (context: CommandContext): Command =>
  getCommand(
    {
      noun: snapshotNoun,
      about: 'List snapshots of volumes, with what each takes',
      examples: '\nExamples:\n  lateen storage snapshot list --volume pvc-1 -o wide',
      names: snapshotNames,
      columns,
      open: openStorage,
      only: [
        {
          option: completedOption('--volume <name>', 'only those of the volume', volumeNames),
          keeps: ({ spec }: Snapshot, value: string) => spec.volume === value,
        },
      ],
    },
    context,
    'list',
  ).alias('get');

interface CreateFlags extends WaitFlags {
  name?: string;
  labels?: string;
}

function createCommand(context: CommandContext): Command {
  const command = new Command('create')
    .description('Take a snapshot of a volume; a volume that is detached is attached for it')
    .addArgument(completedArgument('<volume>', 'name of the volume', volumeNames))
    .option('--name <name>', 'name of the snapshot (default: one that is made)')
    .option('--labels <pairs>', 'labels to take it with, as key=value', collectPairs);
  return withWaitFlags(command, 'it can be used')
    .addHelpText(
      'after',
      `
Examples:
  lateen storage snapshot create pvc-1 --wait
  lateen storage snapshot create pvc-1 --name before-upgrade --labels team=shop`,
    )
    .action(async (name: string, flags: CreateFlags, self: Command) => {
      const { signal, stdout, random } = context;
      const wanted = parseObjectName(snapshotNoun, flags.name ?? snapshotName(random.uuid()));
      const labels = flags.labels === undefined ? {} : parseLabels(flags.labels);
      const opened = await openStorage(context, self);
      const volume = await findObject(opened.kube, volumeNoun, { namespace: opened.namespace, name }, signal);
      const made = await opened.kube.create(snapshotType, newSnapshot(volume, { name: wanted, labels }), { signal });
      stdout.write(`snapshot ${made.metadata.name} of volume ${name} is requested\n`);
      if (flags.wait === true) await waitFor(context, opened, taken(wanted), flags);
    });
}

const taken = (name: string) => ({
  noun: snapshotNoun,
  name,
  goal: `snapshot ${name} can be used`,
  next: `lateen storage snapshot list ${name} -o wide`,
  look: (seen: Snapshot | undefined) => {
    const { readyToUse, error = '' } = seen?.status ?? {};
    if (seen === undefined) throw new AppError('NO_SUCH_SNAPSHOT', `snapshot ${name} was deleted before it was taken`);
    if (error !== '') throw new AppError('SNAPSHOT_FAILED', `snapshot ${name}: ${plainLine(error)}`);
    return readyToUse === true ? ('done' as const) : { waits: 'it is being taken' };
  },
});

const deleteCommand = (context: CommandContext): Command =>
  storageDeleteCommand<Snapshot>(
    {
      noun: snapshotNoun,
      about: 'Delete snapshots; data that is still needed is merged into the next one',
      examples: '\nExamples:\n  lateen storage snapshot delete snap-0123456789abcdef',
      names: snapshotNames,
      describe: ({ metadata, spec, status }) =>
        `${metadata.name} of volume ${spec.volume}, ${byteSize(status?.size ?? 0)}`,
      check: async ({ spec }, { kube, namespace }, signal) => {
        const volume = await findObject(kube, volumeNoun, { namespace, name: spec.volume }, signal).catch(
          () => undefined,
        );
        unlessRefused(
          volume?.spec.Standby === true ? `failed to delete snapshot for standby volume ${spec.volume}` : undefined,
        );
      },
    },
    context,
  );

/** `lateen storage snapshot …` */
export const storageSnapshotCommand = (context: CommandContext): Command =>
  group(
    'snapshot',
    'Take snapshots of replicated volumes and work with them',
    ['lateen storage snapshot create pvc-1 --wait', 'lateen storage snapshot list --volume pvc-1'],
    [
      listCommand(context),
      createCommand(context),
      deleteCommand(context),
      snapshotRevertCommand(context),
      snapshotPurgeCommand(context),
    ],
  );
