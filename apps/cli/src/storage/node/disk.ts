import { byteSize, plainLine } from '@lateen/errors';
import { listAll } from '@lateen/kube';
import { addDisk, changeDisk, type DiskRow, disksOf, removeDisk } from '@lateen/operations/storage';
import { type DiskSpec, longhornNodeType } from '@lateen/storage-types';
import { Command } from 'commander';
import { withBooleanFlag } from '../../boolean-flag.ts';
import { collectList } from '../../collect-list.ts';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument, completedOption, type FindCandidates } from '../../completion/completion.ts';
import { plainTable } from '../../output/plain-table.ts';
import { parseValueFormat, printValue, valueFormats } from '../../output/print-value.ts';
import { badFlag } from '../../refuse-flag.ts';
import { conditionOf } from '../cells.ts';
import { group } from '../group.ts';
import { openStorage, type StorageOptions } from '../open-storage.ts';
import { parseBytes } from '../parse-bytes.ts';
import { nodeNames } from '../storage-names.ts';
import { changeOf, type PlaceFlags, withPlaceFlags } from './node.ts';

const diskNames: FindCandidates = async ({ kube, global, signal }) => {
  const { storageNamespace: namespace } = global as StorageOptions;
  const { items } = await listAll(await kube(), longhornNodeType, { namespace, signal });
  return disksOf(items).map(({ node, name, spec }) => ({ word: name, about: `${node} ${spec.path}` }));
};

const withNodeAndDisk = (command: Command): Command =>
  command
    .addArgument(completedArgument('<node>', 'name of the node', nodeNames))
    .addArgument(completedArgument('<disk>', 'name of the disk', diskNames));

function listCommand(context: CommandContext): Command {
  return new Command('list')
    .alias('get')
    .description('List the disks of the nodes, with their space and why nothing can be put on one')
    .addOption(completedOption('--node <name>', 'only those of the node', nodeNames))
    .addOption(completedOption('-o, --output <format>', valueFormats.join(', '), valueFormats).default('table'))
    .addHelpText('after', '\nExamples:\n  lateen storage disk list\n  lateen storage disk list --node node-1 -o json')
    .action(async (flags: { node?: string; output: string }, self: Command) => {
      const format = parseValueFormat(flags.output);
      const { kube, namespace } = await openStorage(context, self);
      const { items } = await listAll(kube, longhornNodeType, { namespace, signal: context.signal });
      const rows = disksOf(items).filter(({ node }) => flags.node === undefined || node === flags.node);
      if (rows.length === 0) context.stderr.write('No disks found\n');
      const head = [
        'NODE',
        'DISK',
        'PATH',
        'READY',
        'SCHEDULING',
        'FREE',
        'SIZE',
        'RESERVED',
        'PROMISED',
        'REPLICAS',
        'TAGS',
        'WHY NOT',
      ];
      context.stdout.write(printValue(format, plainTable(head, rows.map(cellsOf)), rows));
    });
}

const cellsOf = ({ node, name, spec, status, why }: DiskRow): string[] => [
  node,
  name,
  spec.path ?? status.diskPath ?? '',
  conditionOf(status.conditions, 'Ready')?.status ?? 'Unknown',
  spec.allowScheduling === false ? 'off' : (conditionOf(status.conditions, 'Schedulable')?.status ?? 'Unknown'),
  byteSize(status.storageAvailable ?? 0),
  byteSize(status.storageMaximum ?? 0),
  byteSize(spec.storageReserved ?? 0),
  byteSize(status.storageScheduled ?? 0),
  String(Object.keys(status.scheduledReplica ?? {}).length),
  (spec.tags ?? []).join(','),
  plainLine(why),
];

interface DiskFlags extends PlaceFlags {
  reserved?: string;
}

const reservedOf = ({ reserved }: DiskFlags) =>
  reserved === undefined ? undefined : Number(parseBytes('--reserved', reserved));

function addCommand(context: CommandContext): Command {
  const command = new Command('add')
    .description('Add a folder of a node as a disk for replicas; it should be a file system of its own')
    .addArgument(completedArgument('<node>', 'name of the node', nodeNames))
    .argument('<disk>', 'name for the disk')
    .argument('<path>', 'folder on the node, such as /mnt/ssd-1')
    .option('--reserved <bytes>', 'bytes that replicas may not use', '0')
    .option('--tags <names>', 'its tags, separated by commas', collectList('--tags'));
  return withBooleanFlag(command, '--scheduling', 'with =false nothing is put there yet')
    .addHelpText('after', '\nExamples:\n  lateen storage disk add node-1 ssd-1 /mnt/ssd-1 --reserved 20Gi --tags ssd')
    .action(async (node: string, disk: string, path: string, flags: DiskFlags, self: Command) => {
      if (!path.startsWith('/')) throw badFlag(`the path "${path}" does not begin with /`);
      const added: DiskSpec = {
        diskType: 'filesystem',
        path,
        allowScheduling: flags.scheduling !== false,
        evictionRequested: false,
        storageReserved: reservedOf(flags) ?? 0,
        tags: [...new Set(flags.tags ?? [])].sort(),
      };
      const opened = await openStorage(context, self);
      await addDisk({ ...opened, signal: context.signal }, node, disk, added);
      context.stdout.write(
        `disk ${disk} of node ${node} is added; see whether it can be used: lateen storage disk list --node ${node}\n`,
      );
    });
}

function removeCommand(context: CommandContext): Command {
  return withNodeAndDisk(
    new Command('remove').description(
      'Remove an empty disk with scheduling off from a node; its folder stays as it is',
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  lateen storage disk evict node-1 ssd-1
  lateen storage disk remove node-1 ssd-1`,
    )
    .action(async (node: string, disk: string, _: object, self: Command) => {
      const opened = await openStorage(context, self);
      await removeDisk({ ...opened, signal: context.signal }, node, disk);
      context.stdout.write(`disk ${disk} is removed from node ${node}\n`);
    });
}

function setCommand(context: CommandContext): Command {
  const command = withNodeAndDisk(
    new Command('set').description('Change what a disk may be used for; what is not named stays as it is'),
  ).option('--reserved <bytes>', 'bytes that replicas may not use');
  return withPlaceFlags(command)
    .addHelpText(
      'after',
      `
Examples:
  lateen storage disk set node-1 ssd-1 --scheduling=false
  lateen storage disk set node-1 ssd-1 --reserved 50Gi --tags ssd,fast`,
    )
    .action(async (node: string, disk: string, flags: DiskFlags, self: Command) => {
      const change = { ...changeOf(flags), storageReserved: reservedOf(flags) };
      if (Object.values(change).every((value) => value === undefined))
        throw badFlag('no change was given', 'Give --scheduling, --evict, --reserved or --tags.');
      const opened = await openStorage(context, self);
      const changed = await changeDisk({ ...opened, signal: context.signal }, node, disk, change);
      context.stdout.write(`disk ${disk} of node ${node} ${changed ? 'is changed' : 'is unchanged'}\n`);
    });
}

function evictCommand(context: CommandContext): Command {
  return withNodeAndDisk(
    new Command('evict').description(
      'Turn scheduling off and move all replicas of a disk away; each is rebuilt elsewhere before it is deleted',
    ),
  )
    .addHelpText('after', '\nExamples:\n  lateen storage disk evict node-1 ssd-1')
    .action(async (node: string, disk: string, _: object, self: Command) => {
      const opened = await openStorage(context, self);
      const change = { allowScheduling: false, evictionRequested: true };
      const changed = await changeDisk({ ...opened, signal: context.signal }, node, disk, change);
      const said = changed ? 'is evicted' : 'is evicted already';
      context.stdout.write(
        `disk ${disk} of node ${node} ${said}; what is left on it: lateen storage disk list --node ${node}\n`,
      );
    });
}

/** `lateen storage disk …` */
export const storageDiskCommand = (context: CommandContext): Command =>
  group(
    'disk',
    'List and configure the disks of nodes',
    ['lateen storage disk list', 'lateen storage disk add node-1 ssd-1 /mnt/ssd-1'],
    [listCommand(context), addCommand(context), removeCommand(context), setCommand(context), evictCommand(context)],
  );
