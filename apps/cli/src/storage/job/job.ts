import { findObjects, listOrNone, selectionToShow } from '@lateen/operations/noun';
import { createRecurringJob, newRecurringJob, recurringJobNoun } from '@lateen/operations/storage';
import { type RecurringJob, recurringTasks, type Volume, volumeType } from '@lateen/storage-types';
import { isForVolume, recurringRunOf } from '@lateen/volume-decisions';
import { Command } from 'commander';
import { collectList } from '../../collect-list.ts';
import { collectPairs } from '../../collect-pairs.ts';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument, completedOption } from '../../completion/completion.ts';
import { metadataLines } from '../../describe/metadata-section.ts';
import { fields, listText, orNone, page } from '../../output/description.ts';
import { getCommand } from '../../output/get-command.ts';
import type { ResourceColumn } from '../../output/resource-table.ts';
import { parseKeyValues } from '../../parse-key-values.ts';
import { parseLabels } from '../../parse-labels.ts';
import { badFlag } from '../../refuse-flag.ts';
import { ageColumn, nameColumn } from '../cells.ts';
import { storageDeleteCommand } from '../delete-command.ts';
import { group } from '../group.ts';
import { openStorage } from '../open-storage.ts';
import { jobNames } from '../storage-names.ts';

const columns = (nowMs: number): readonly ResourceColumn<RecurringJob>[] => [
  nameColumn(),
  { head: 'TASK', cell: ({ spec }) => spec.task ?? '' },
  { head: 'CRON', cell: ({ spec }) => spec.cron ?? '' },
  { head: 'RETAIN', cell: ({ spec }) => String(spec.retain ?? 0) },
  { head: 'GROUPS', cell: ({ spec }) => (spec.groups ?? []).join(',') },
  { head: 'RUNS', cell: ({ status }) => String(status?.executionCount ?? 0) },
  { head: 'LAST DUE', cell: (job) => recurringRunOf(job)?.dueAt ?? '' },
  ageColumn(nowMs),
  { head: 'AT ONCE', cell: ({ spec }) => String(spec.concurrency ?? ''), wide: true },
];

const listCommand = (context: CommandContext): Command =>
  getCommand(
    {
      noun: recurringJobNoun,
      about: 'List recurring jobs of volumes',
      examples: '\nExamples:\n  lateen storage job list',
      names: jobNames,
      columns,
      open: openStorage,
    },
    context,
    'list',
  ).alias('get');

interface CreateFlags {
  task?: string;
  cron?: string;
  retain: string;
  concurrency: string;
  groups?: string[];
  labels?: string;
  parameters?: string;
}

const examples = `
Examples:
  lateen storage job create nightly --task backup --cron '0 1 * * *' --retain 7 --groups default
  lateen storage job create often --task snapshot --cron '0 * * * *' --retain 24`;

function whole(flag: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw badFlag(`${flag} "${text}" is not a whole number`);
  return Number(text);
}

function createCommand(context: CommandContext): Command {
  return new Command('create')
    .description('Run jobs on volumes on a schedule')
    .argument('<name>', 'name of the job, of at most 40 characters')
    .addOption(completedOption('--task <task>', recurringTasks.join(', '), recurringTasks))
    .option('--cron <expression>', 'when, as a cron expression; required')
    .option('--retain <count>', 'how many snapshots or backups of each volume are kept', '1')
    .option('--concurrency <count>', 'how many volumes are worked on at once', '10')
    .option(
      '--groups <names>',
      'groups that it is in; volumes without any job get those of the group default',
      collectList('--groups'),
    )
    .option('--labels <pairs>', 'labels for what it makes, as key=value', collectPairs)
    .option('--parameters <pairs>', 'such as full-backup-interval=5', collectPairs)
    .addHelpText('after', examples)
    .action(async (name: string, flags: CreateFlags, self: Command) => {
      const task = recurringTasks.find((each) => each === flags.task);
      if (task === undefined) throw badFlag(`--task has to be one of ${recurringTasks.join(', ')}`);
      if (flags.cron === undefined) throw badFlag('--cron is required');
      const opened = await openStorage(context, self);
      const place = { ...opened, signal: context.signal };
      const job = await newRecurringJob(place, {
        name,
        task,
        cron: flags.cron,
        retain: whole('--retain', flags.retain),
        concurrency: whole('--concurrency', flags.concurrency),
        groups: flags.groups ?? [],
        labels: flags.labels === undefined ? {} : parseLabels(flags.labels),
        parameters: flags.parameters === undefined ? {} : parseKeyValues('--parameters', flags.parameters),
      });
      const made = await createRecurringJob(place, job);
      context.stdout.write(`job ${made.metadata.name} is created\n`);
      if ((flags.groups ?? []).length === 0)
        context.stderr.write(
          `No volume uses it yet; add it with: lateen storage volume recurring-job add VOLUME ${made.metadata.name}\n`,
        );
    });
}

/** The whole description of a job, as text. */
export function describeJob(job: RecurringJob, volumes: readonly Volume[]): string {
  const { spec, status } = job;
  const run = recurringRunOf(job);
  const own = volumes.filter(({ metadata }) => isForVolume(job, { labels: metadata.labels ?? {} }));
  return page([
    metadataLines(job),
    fields([
      ['Task', spec.task ?? ''],
      ['Cron', spec.cron ?? ''],
      ['Retain', String(spec.retain ?? 0)],
      ['At once', String(spec.concurrency ?? '')],
      ['Groups', listText(spec.groups)],
      ['Parameters', listText(Object.entries(spec.parameters ?? {}).map(([key, value]) => `${key}=${value}`))],
      ['Volumes', listText(own.map(({ metadata }) => metadata.name ?? ''))],
    ]),
    fields([
      ['Runs', String(status?.executionCount ?? 0)],
      ['Last due', orNone(run?.dueAt)],
      ['Works on', listText(run?.going)],
      ['Their turn comes', listText(run?.left)],
      ['Manager', orNone(status?.ownerID)],
    ]),
  ]);
}

function describeCommand(context: CommandContext): Command {
  return new Command('describe')
    .description('Describe jobs: what they do, for which volumes, progress of the last run')
    .addArgument(completedArgument('[name...]', 'names (default: all)', jobNames))
    .addHelpText('after', '\nExamples:\n  lateen storage job describe nightly')
    .action(async (names: string[], _: object, self: Command) => {
      const selection = selectionToShow(recurringJobNoun, { names, selector: undefined });
      const { kube, namespace } = await openStorage(context, self);
      const { signal } = context;
      const found = await findObjects(kube, recurringJobNoun, namespace, selection, signal);
      if (found.length === 0) context.stderr.write('No jobs found\n');
      const volumes = await listOrNone(kube, volumeType, { namespace, signal });
      context.stdout.write(found.map((job) => describeJob(job, volumes)).join('\n\n'));
    });
}

/** `lateen storage job …` */
export const storageJobCommand = (context: CommandContext): Command =>
  group(
    'job',
    'Run jobs on volumes on a schedule: snapshots, backups, trims',
    ["lateen storage job create nightly --task backup --cron '0 1 * * *' --retain 7", 'lateen storage job list'],
    [
      listCommand(context),
      createCommand(context),
      describeCommand(context),
      storageDeleteCommand<RecurringJob>(
        {
          noun: recurringJobNoun,
          about: 'Delete jobs; what they have made stays',
          examples: '\nExamples:\n  lateen storage job delete nightly',
          names: jobNames,
          describe: ({ metadata, spec }) => `${metadata.name}, ${spec.task} at ${spec.cron}; what it has made stays`,
        },
        context,
      ),
    ],
  );
