import { backupNoun, sortBackups } from '@lateen/operations/backup';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { backupNames } from '../completion/object-names.ts';
import { getCommand } from '../output/get-command.ts';
import { backupColumns } from './backup-columns.ts';

const examples = `
Examples:
  lateen backup get
  lateen backup get nightly-20260101020000 -o yaml
  lateen backup get -l velero.io/schedule-name=nightly -o wide
  lateen backup get -o name --show-labels`;

/** `lateen backup get [NAME…]` (cli.md section 8) */
export function backupGetCommand(context: CommandContext, name?: string): Command {
  const about = 'List backups, with their state and when they expire';
  const what = { noun: backupNoun, about, examples, names: backupNames, columns: backupColumns, sort: sortBackups };
  return getCommand(what, context, name);
}
