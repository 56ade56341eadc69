import { plainLine } from '@lateen/errors';
import { durationText } from '@lateen/kernel';
import { parseObjectName } from '@lateen/operations/noun';
import { backupTargetNoun, setBackupTarget } from '@lateen/operations/storage';
import { type BackupTarget, backupTargetUnavailable } from '@lateen/storage-types';
import { Command } from 'commander';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument } from '../../completion/completion.ts';
import { getCommand } from '../../output/get-command.ts';
import type { ResourceColumn } from '../../output/resource-table.ts';
import { parseDuration } from '../../parse-duration.ts';
import { badFlag } from '../../refuse-flag.ts';
import { ageColumn, conditionOf, nameColumn, yesNo } from '../cells.ts';
import { group } from '../group.ts';
import { openStorage } from '../open-storage.ts';
import { backupTargetNames } from '../storage-names.ts';

const columns = (nowMs: number): readonly ResourceColumn<BackupTarget>[] => [
  nameColumn(),
  { head: 'URL', cell: ({ spec }) => plainLine(spec.backupTargetURL ?? '') },
  { head: 'SECRET', cell: ({ spec }) => spec.credentialSecret ?? '' },
  { head: 'AVAILABLE', cell: ({ status }) => yesNo(status?.available) },
  { head: 'LAST LOOK', cell: ({ status }) => status?.lastSyncedAt ?? '' },
  ageColumn(nowMs),
  { head: 'WHY NOT', cell: whyNot, wide: true },
];

function whyNot({ status }: BackupTarget): string {
  const condition = conditionOf(status?.conditions, backupTargetUnavailable);
  return condition?.status === 'True' ? plainLine(condition.message ?? '') : '';
}

const listCommand = (context: CommandContext): Command =>
  getCommand(
    {
      noun: backupTargetNoun,
      about: 'List backup targets; with -o wide also why one cannot be used',
      examples: '\nExamples:\n  lateen storage backup-target list -o wide',
      names: backupTargetNames,
      columns,
      open: openStorage,
    },
    context,
    'list',
  ).alias('get');

interface Flags {
  url?: string;
  secret?: string;
  pollInterval?: string;
}

function setCommand(context: CommandContext): Command {
  return new Command('set')
    .description('Create or change a backup target; what is not named stays as it is')
    .addArgument(
      completedArgument('<name>', 'name of the target; volumes that name none use default', backupTargetNames),
    )
    .option('--url <address>', 'such as s3://bucket@region/path/ or nfs://server:/path; an empty text for none')
    .option('--secret <name>', 'Secret with the credentials, in the namespace of the volume manager')
    .option('--poll-interval <duration>', 'how often to poll it; 0s: never')
    .addHelpText(
      'after',
      `
Examples:
  lateen storage backup-target set default --url s3://backups@eu-central-1/ --secret s3-credentials
  lateen storage backup-target set nas --url 'nfs://nas.example.com:/backups?nfsOptions=nfsvers=4.1'
  lateen storage backup-target set default --poll-interval 10m`,
    )
    .action(async (text: string, flags: Flags, self: Command) => {
      const name = parseObjectName(backupTargetNoun, text);
      const { url, secret, pollInterval } = flags;
      if (url === undefined && secret === undefined && pollInterval === undefined)
        throw badFlag('no setting was given', 'Give --url, --secret or --poll-interval.');
      const given = {
        ...(url === undefined ? {} : { backupTargetURL: url.trim() }),
        ...(secret === undefined ? {} : { credentialSecret: secret.trim() }),
        ...(pollInterval === undefined
          ? {}
          : { pollInterval: durationText(parseDuration('--poll-interval', pollInterval)) }),
      };
      const opened = await openStorage(context, self);
      const isNew = await setBackupTarget({ ...opened, signal: context.signal }, name, given);
      context.stdout.write(
        `backup target ${name} is ${isNew ? 'set up' : 'changed'}; see whether it can be used: lateen storage backup-target list -o wide\n`,
      );
    });
}

/** `lateen storage backup-target …` */
export const storageBackupTargetCommand = (context: CommandContext): Command =>
  group(
    'backup-target',
    'List and configure the targets of volume backups',
    [
      'lateen storage backup-target list -o wide',
      'lateen storage backup-target set default --url s3://backups@eu-central-1/',
    ],
    [listCommand(context), setCommand(context)],
  );
