import { AppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { findObjects, selectionToChange } from '@lateen/operations/noun';
import { type Run, type RunNoun, requestRunCancel } from '@lateen/operations/run';
import { Command } from 'commander';
import { eachOf } from '../agree-to-delete.ts';
import { withBooleanFlag } from '../boolean-flag.ts';
import { cancelEach, confirmCancel } from '../cancel-each.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { runningNames } from '../completion/object-names.ts';
import type { Follow } from './wait-for-run.ts';

interface Flags {
  all?: boolean;
  selector?: string;
  confirm?: boolean;
  wait?: boolean;
}

export interface CanceledKind<T extends Run> {
  noun: RunNoun<T>;
  follow: Follow<T>;
  about: string;
  examples: string;
}

/** `lateen backup cancel [NAME…]`, `lateen restore cancel [NAME…]`; Velero does not have them yet (after-1.18.1.md 1C). */
export function cancelCommand<T extends Run>(kind: CanceledKind<T>, context: CommandContext): Command {
  const { noun, about, examples } = kind;
  const command = new Command('cancel')
    .description(about)
    .addArgument(completedArgument('[name...]', 'names', runningNames(noun)))
    .option('-l, --selector <labels>', 'all with these labels that have not ended');
  withBooleanFlag(command, '--all', 'all that have not ended');
  withBooleanFlag(command, '--confirm', 'do not ask');
  return withBooleanFlag(command, '-w, --wait', 'until they have ended and everything of them is cleaned up')
    .addHelpText('after', examples)
    .action(async (names: string[], flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const selection = selectionToChange(noun, { names, ...flags });
      const kube = await context.connect(global);
      const found = await findObjects(kube, noun, global.namespace, selection, context.signal);
      const running = found.filter((run) => !noun.hasEnded(run));
      const say = (run: T, what: string) => context.stdout.write(`${noun.word}/${run.metadata.name} ${what}\n`);
      if (names.length > 0)
        for (const run of found) if (noun.hasEnded(run)) say(run, `has ended already: ${noun.phaseOf(run)}`);
      if (running.length === 0) {
        if (names.length === 0) context.stderr.write(`No ${noun.word} runs or waits that could be canceled.\n`);
        return;
      }
      const show = (run: T) => context.stderr.write(`${run.metadata.name} (${noun.phaseOf(run)})\n`);
      await confirmCancel(running, flags, show, context);
      const asked = await cancelEach(running, (run) => requestRunCancel(kube, noun, run, context.signal), say);
      await eachOf(asked, context.signal, async (canceled) => {
        if (flags.wait === true) await waitFor(kube, kind, canceled, say, context);
      });
    });
}

/** @throws AppError BACKUP_NOT_CANCELED, RESTORE_NOT_CANCELED when the run has ended in another phase; INTERRUPTED */
async function waitFor<T extends Run>(
  kube: KubeApi,
  { noun, follow }: CanceledKind<T>,
  canceled: T,
  say: (run: T, what: string) => void,
  { clock, random, signal }: CommandContext,
): Promise<void> {
  try {
    const { run } = await follow({ kube, clock, random }, canceled, () => {}, signal);
    const phase = noun.phaseOf(run);
    say(run, phase);
    if (phase !== 'Canceled')
      throw new AppError(
        `${noun.word.toUpperCase()}_NOT_CANCELED`,
        `${noun.word} "${run.metadata.name}" has ended before it was canceled: ${phase}`,
      );
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new AppError('INTERRUPTED', 'stopped waiting; what was canceled ends by itself');
  }
}
