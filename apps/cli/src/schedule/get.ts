import { scheduleNoun } from '@lateen/operations/schedule';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { scheduleNames } from '../completion/object-names.ts';
import { getCommand } from '../output/get-command.ts';
import { scheduleColumns } from './schedule-columns.ts';

const examples = `
Examples:
  lateen schedule get
  lateen schedule get nightly -o yaml
  lateen schedule get -l team=shop -o wide`;

/** `lateen schedule get [NAME…]` (cli.md section 8) */
export function scheduleGetCommand(context: CommandContext, name?: string): Command {
  const about = 'List schedules, with their last backup; with -o wide also the next one';
  const what = { noun: scheduleNoun, about, examples, names: scheduleNames, columns: scheduleColumns };
  return getCommand(what, context, name);
}
