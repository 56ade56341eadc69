import { byteSize, plainLine } from '@lateen/errors';
import { findObjects, selectionToShow } from '@lateen/operations/noun';
import { changeNode, nodeNoun } from '@lateen/operations/storage';
import type { LonghornNode } from '@lateen/storage-types';
import { Command } from 'commander';
import { withBooleanFlag } from '../../boolean-flag.ts';
import { collectList } from '../../collect-list.ts';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument } from '../../completion/completion.ts';
import { metadataLines } from '../../describe/metadata-section.ts';
import { fields, listText, orNone, page, section } from '../../output/description.ts';
import { getCommand } from '../../output/get-command.ts';
import { plainTable } from '../../output/plain-table.ts';
import type { ResourceColumn } from '../../output/resource-table.ts';
import { badFlag } from '../../refuse-flag.ts';
import { ageColumn, conditionOf, nameColumn, yesNo } from '../cells.ts';
import { group } from '../group.ts';
import { openStorage } from '../open-storage.ts';
import { nodeNames } from '../storage-names.ts';

const sum = (node: LonghornNode, field: 'storageMaximum' | 'storageAvailable' | 'storageScheduled'): number =>
  Object.values(node.status?.diskStatus ?? {}).reduce((total, disk) => total + (disk[field] ?? 0), 0);

const replicasOn = ({ status }: LonghornNode): number =>
  Object.values(status?.diskStatus ?? {}).reduce(
    (n, { scheduledReplica }) => n + Object.keys(scheduledReplica ?? {}).length,
    0,
  );

const columns = (nowMs: number): readonly ResourceColumn<LonghornNode>[] => [
  nameColumn(),
  { head: 'READY', cell: ({ status }) => conditionOf(status?.conditions, 'Ready')?.status ?? 'Unknown' },
  { head: 'SCHEDULABLE', cell: schedulableText },
  { head: 'REPLICAS', cell: (node) => String(replicasOn(node)) },
  { head: 'SIZE', cell: (node) => byteSize(sum(node, 'storageMaximum')) },
  { head: 'FREE', cell: (node) => byteSize(sum(node, 'storageAvailable')) },
  { head: 'PROMISED', cell: (node) => byteSize(sum(node, 'storageScheduled')) },
  { head: 'ZONE', cell: ({ status }) => status?.zone ?? '' },
  ageColumn(nowMs),
  { head: 'TAGS', cell: ({ spec }) => (spec.tags ?? []).join(','), wide: true },
  {
    head: 'EVICTS',
    cell: ({ spec, status }) => yesNo(spec.evictionRequested === true || status?.autoEvicting === true),
    wide: true,
  },
];

function schedulableText({ spec, status }: LonghornNode): string {
  if (spec.allowScheduling === false) return 'off';
  return conditionOf(status?.conditions, 'Schedulable')?.status ?? 'Unknown';
}

const listCommand = (context: CommandContext): Command =>
  getCommand(
    {
      noun: nodeNoun,
      about: 'List the nodes that replicas can be on, with the space of their disks',
      examples: '\nExamples:\n  lateen storage node list\n  lateen storage node list -o wide',
      names: nodeNames,
      columns,
      open: openStorage,
    },
    context,
    'list',
  ).alias('get');

/** The whole description of a node, as text. */
export function describeNode(node: LonghornNode): string {
  const { spec, status } = node;
  const wrong = (status?.conditions ?? []).filter(({ status: holds }) => holds !== 'True');
  const disks = Object.entries(status?.diskStatus ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return page([
    metadataLines(node),
    fields([
      ['Ready', conditionOf(status?.conditions, 'Ready')?.status ?? 'Unknown'],
      ['Scheduling', spec.allowScheduling === false ? 'off' : 'on'],
      ['Evicts', yesNo(spec.evictionRequested)],
      ['Evicts by drain', yesNo(status?.autoEvicting)],
      ['Zone', orNone(status?.zone)],
      ['Region', orNone(status?.region)],
      ['Tags', listText(spec.tags)],
    ]),
    section(
      'Findings',
      wrong.map(({ type, message, reason }) => `! ${type}: ${plainLine(message || reason || 'no cause is given')}`),
      'none, all is as it should be',
    ),
    section(
      'Disks',
      disks.length === 0
        ? []
        : plainTable(
            ['NAME', 'PATH', 'FREE', 'SIZE', 'PROMISED', 'REPLICAS'],
            disks.map(([name, each]) => [
              name,
              each.diskPath ?? '',
              byteSize(each.storageAvailable ?? 0),
              byteSize(each.storageMaximum ?? 0),
              byteSize(each.storageScheduled ?? 0),
              String(Object.keys(each.scheduledReplica ?? {}).length),
            ]),
          ),
    ),
    section(
      'Replicas',
      disks.flatMap(([name, each]) =>
        Object.keys(each.scheduledReplica ?? {})
          .sort()
          .map((replica) => `${replica} on ${name}`),
      ),
    ),
  ]);
}

function describeCommand(context: CommandContext): Command {
  return new Command('describe')
    .description('Describe nodes: why one cannot be used, its disks, the replicas on them')
    .addArgument(completedArgument('[name...]', 'names (default: all)', nodeNames))
    .addHelpText('after', '\nExamples:\n  lateen storage node describe node-1')
    .action(async (names: string[], _: object, self: Command) => {
      const selection = selectionToShow(nodeNoun, { names, selector: undefined });
      const { kube, namespace } = await openStorage(context, self);
      const nodes = await findObjects(kube, nodeNoun, namespace, selection, context.signal);
      if (nodes.length === 0) context.stderr.write('No nodes found\n');
      context.stdout.write(nodes.map(describeNode).join('\n\n'));
    });
}

export interface PlaceFlags {
  scheduling?: boolean;
  evict?: boolean;
  tags?: string[];
}

/** Adds `--scheduling`, `--evict` and `--tags`. */
export function withPlaceFlags(command: Command): Command {
  withBooleanFlag(command, '--scheduling', 'new replicas may be put there, or with =false not');
  withBooleanFlag(command, '--evict', 'all replicas move away, or with =false stay; scheduling has to be off');
  return command.option(
    '--tags <names>',
    'its tags, separated by commas; an empty text for none',
    (text: string, before?: string[]) => (text === '' ? [] : collectList('--tags')(text, before)),
  );
}

/** The changes that the flags ask for. */
export const changeOf = ({ scheduling, evict, tags }: PlaceFlags) => ({
  allowScheduling: scheduling,
  evictionRequested: evict,
  tags,
});

function setCommand(context: CommandContext): Command {
  const command = new Command('set')
    .description('Change what a node may be used for; what is not named stays as it is')
    .addArgument(completedArgument('<name>', 'name of the node', nodeNames));
  return withPlaceFlags(command)
    .addHelpText(
      'after',
      `
Examples:
  lateen storage node set node-2 --scheduling=false --evict      # before it is taken out
  lateen storage node set node-2 --evict=false --scheduling
  lateen storage node set node-2 --tags ssd,fast`,
    )
    .action(async (name: string, flags: PlaceFlags, self: Command) => {
      if (Object.values(changeOf(flags)).every((value) => value === undefined))
        throw badFlag('no change was given', 'Give --scheduling, --evict or --tags.');
      const opened = await openStorage(context, self);
      const changed = await changeNode({ ...opened, signal: context.signal }, name, changeOf(flags));
      context.stdout.write(`node ${name} ${changed ? 'is changed' : 'is unchanged'}\n`);
    });
}

/** `lateen storage node …` */
export const storageNodeCommand = (context: CommandContext): Command =>
  group(
    'node',
    'List and configure the nodes of replicated volumes',
    ['lateen storage node list', 'lateen storage node set node-2 --scheduling=false --evict'],
    [listCommand(context), describeCommand(context), setCommand(context)],
  );
