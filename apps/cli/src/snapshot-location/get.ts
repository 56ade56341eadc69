import { snapshotLocationNoun } from '@lateen/operations/snapshot-location';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { snapshotLocationNames } from '../completion/object-names.ts';
import { getCommand } from '../output/get-command.ts';
import { snapshotLocationColumns } from './snapshot-location-columns.ts';

const examples = `
Examples:
  lateen snapshot-location get
  lateen snapshot-location get ebs -o yaml`;

/** `lateen snapshot-location get [NAME…]` (cli.md section 8) */
export function snapshotLocationGetCommand(context: CommandContext, name?: string): Command {
  const what = {
    noun: snapshotLocationNoun,
    about: 'List volume snapshot locations',
    examples,
    names: snapshotLocationNames,
    columns: () => snapshotLocationColumns,
  };
  return getCommand(what, context, name);
}
