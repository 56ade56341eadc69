import type { CommandContext } from './command-context.ts';
import { askToConfirm } from './confirm.ts';

/** Lists what would be canceled and asks for confirmation, unless a flag skips that. @throws as `askToConfirm` */
export async function confirmCancel<T>(
  things: readonly T[],
  { confirm }: { confirm?: boolean },
  show: (thing: T) => void,
  context: CommandContext,
): Promise<void> {
  if (confirm === true) return;
  if (context.ask !== undefined) for (const thing of things) show(thing);
  await askToConfirm(context, {
    question: `Cancel ${things.length === 1 ? 'it' : `these ${things.length}`}?`,
    would: `${things.length} would be canceled`,
    undone: 'nothing was canceled',
  });
}

/** Cancels one object after the other, reports each, and resolves with those that were still running. */
export async function cancelEach<T>(
  things: readonly T[],
  request: (thing: T) => Promise<T | undefined>,
  say: (thing: T, what: string) => void,
): Promise<T[]> {
  const canceled: T[] = [];
  for (const thing of things) {
    const asked = await request(thing);
    say(thing, asked === undefined ? 'has ended meanwhile' : 'is being canceled');
    if (asked !== undefined) canceled.push(asked);
  }
  return canceled;
}
