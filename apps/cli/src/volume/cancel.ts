import { AppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import {
  findMovements,
  followMovement,
  hasEnded,
  kindOf,
  type Movement,
  phaseOf,
  requestCancel,
  volumeOf,
} from '@lateen/operations/volume';
import { Command } from 'commander';
import { cancelEach, confirmCancel } from '../cancel-each.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { runningMovements } from '../completion/volume-names.ts';

interface Flags {
  all?: boolean;
  selector?: string;
  confirm?: boolean;
  wait?: boolean;
}

const examples = `
Examples:
  lateen volume cancel data-x7k2p
  lateen volume cancel upload/data-x7k2p download/data-9fh4q --wait
  lateen volume cancel --all --confirm
  lateen volume cancel -l velero.io/backup-name=nightly`;

/** `lateen volume cancel [NAME…]` */
export function volumeCancelCommand(context: CommandContext): Command {
  return new Command('cancel')
    .description('Cancel movements of volumes that run or wait; what is stored already stays for the next upload')
    .addArgument(
      completedArgument(
        '[name...]',
        'names, as "lateen volume list" shows them; upload/NAME, download/NAME, pvb/NAME or pvr/NAME when several have one',
        runningMovements,
      ),
    )
    .option('--all', 'all that have not ended')
    .option('-l, --selector <labels>', 'all with these labels that have not ended')
    .option('--confirm', 'do not ask')
    .option('--wait', 'until they have ended and everything of them is cleaned up')
    .addHelpText('after', examples)
    .action(async (names: string[], flags: Flags, command: Command) => {
      const global = command.optsWithGlobals<GlobalOptions>();
      checkSelection(names, flags);
      const kube = await context.connect(global);
      const selection = { names, labelSelector: flags.selector };
      const found = await findMovements(kube, global.namespace, selection, context.signal);
      const running = found.filter((movement) => !hasEnded(movement));
      if (names.length > 0) for (const movement of found.filter(hasEnded)) say(context, movement, 'has ended already');
      if (running.length === 0) {
        if (names.length === 0) context.stderr.write('Nothing runs that could be canceled.\n');
        return;
      }
      const show = (movement: Movement) => say(context, movement, `of ${volumeOf(movement)}`, context.stderr);
      await confirmCancel(running, flags, show, context);
      const request = (movement: Movement) => requestCancel(kube, movement, context.signal);
      const canceled = await cancelEach(running, request, (movement, what) => say(context, movement, what));
      if (flags.wait === true) await waitForAll(kube, canceled, context);
    });
}

function checkSelection(names: readonly string[], { all, selector }: Flags): void {
  const given = [names.length > 0, all === true, selector !== undefined].filter(Boolean).length;
  if (given === 1) return;
  throw new AppError(
    'BAD_FLAG',
    given === 0 ? 'nothing to cancel was given' : 'names, --selector and --all cannot be combined',
    {
      nextStep: 'Give names, or --selector, or --all.',
    },
  );
}

async function waitForAll(kube: KubeApi, movements: readonly Movement[], context: CommandContext): Promise<void> {
  const ports = { kube, clock: context.clock };
  try {
    await Promise.all(
      movements.map(async (movement) => {
        const ended = await followMovement(kindOf(movement).type, movement, () => {}, ports, context.signal);
        say(context, ended, phaseOf(ended));
      }),
    );
  } catch (error) {
    if (!context.signal.aborted) throw error;
    throw new AppError('INTERRUPTED', 'stopped waiting; what was canceled ends by itself');
  }
}

function say({ stdout }: CommandContext, { kind, metadata }: Movement, what: string, output = stdout): void {
  output.write(`${kind.toLowerCase()}/${metadata.name} ${what}\n`);
}
