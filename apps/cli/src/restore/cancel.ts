import { followRestore, restoreNoun } from '@lateen/operations/restore';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { cancelCommand } from '../run/cancel-command.ts';

const examples = `
Examples:
  lateen restore cancel shop-20260101020000
  lateen restore cancel shop-20260101020000 --confirm --wait
  lateen restore cancel -l team=shop --confirm
  lateen restore cancel --all`;

/** `lateen restore cancel [NAME…]` */
export const restoreCancelCommand = (context: CommandContext): Command =>
  cancelCommand(
    {
      noun: restoreNoun,
      follow: followRestore,
      about:
        'Cancel restores that are queued or running; what they have restored stays, except volumes whose restore has not finished',
      examples,
    },
    context,
  );
