import { backupNoun, followBackup } from '@lateen/operations/backup';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { cancelCommand } from '../run/cancel-command.ts';

const examples = `
Examples:
  lateen backup cancel nightly-20260101020000
  lateen backup cancel nightly-20260101020000 --confirm --wait
  lateen backup cancel -l velero.io/schedule-name=nightly --confirm
  lateen backup cancel --all`;

const about =
  'Cancel backups that are queued or running, and delete what they have stored; canceled backups cannot be restored';

/** `lateen backup cancel [NAME…]` */
export const backupCancelCommand = (context: CommandContext): Command =>
  cancelCommand({ noun: backupNoun, follow: followBackup, about, examples }, context);
