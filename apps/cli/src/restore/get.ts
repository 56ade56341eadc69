import { restoreNoun } from '@lateen/operations/restore';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { restoreNames } from '../completion/object-names.ts';
import { getCommand } from '../output/get-command.ts';
import { restoreColumns } from './restore-columns.ts';

const examples = `
Examples:
  lateen restore get
  lateen restore get shop-20260101020000 -o yaml
  lateen restore get -l team=shop -o wide
  lateen restore get -o name --show-labels`;

/** `lateen restore get [NAME…]` (cli.md section 8) */
export function restoreGetCommand(context: CommandContext, name?: string): Command {
  const about = 'List restores, with their backup and state; with -o wide also the restores that they wait for';
  const what = { noun: restoreNoun, about, examples, names: restoreNames, columns: () => restoreColumns };
  return getCommand(what, context, name);
}
