import type { KubeObject } from '@lateen/api-types';
import { deleteIfThere } from '@lateen/kube';
import { findObjects, type Noun, pluralOf, selectionToChange } from '@lateen/operations/noun';
import { Command } from 'commander';
import { agreesToDelete, type DeleteFlags, eachOf, requireSomebodyToAsk, withDeleteFlags } from '../agree-to-delete.ts';
import type { CommandContext } from '../command-context.ts';
import { completedArgument, type FindCandidates } from '../completion/completion.ts';
import { type OpenedStorage, openStorage } from './open-storage.ts';

export interface Deleted<T extends KubeObject> {
  noun: Noun<T>;
  about: string;
  examples: string;
  names: FindCandidates;
  /** What is deleted with the object, on one line. */
  describe(object: T): string;
  /** Throws when the object may not be deleted. Runs before any question or deletion. */
  check?(object: T, opened: OpenedStorage, signal: AbortSignal): Promise<void>;
  /** The message for each deleted object. Default: `NAME is being deleted`. */
  done?(object: T): string;
}

/** `lateen storage NOUN delete [NAME…]` */
export function storageDeleteCommand<T extends KubeObject>(what: Deleted<T>, context: CommandContext): Command {
  const { noun, about, examples, names, describe, check, done } = what;
  const command = new Command('delete').description(about).addArgument(completedArgument('[name...]', 'names', names));
  return withDeleteFlags(command, pluralOf(noun))
    .addHelpText('after', examples)
    .action(async (words: string[], flags: DeleteFlags, self: Command) => {
      const selection = selectionToChange(noun, { names: words, ...flags });
      requireSomebodyToAsk(context, flags);
      const { signal, stdout } = context;
      const opened = await openStorage(context, self);
      const found = await findObjects(opened.kube, noun, opened.namespace, selection, signal);
      if (found.length === 0) stdout.write(`No ${pluralOf(noun)} found\n`);
      for (const object of found) await check?.(object, opened, signal);
      if (found.length === 0 || !(await agreesToDelete(context, flags, () => found.map(describe)))) return;
      await eachOf(found, signal, async (object) => {
        await deleteIfThere(opened.kube, noun.type, object, signal);
        stdout.write(`${done?.(object) ?? `${noun.word} ${object.metadata.name} is being deleted`}\n`);
      });
    });
}
