import type { Command } from 'commander';
import { type Asked, type Candidate, completionOf } from './completion.ts';
import { optionsOf, type Position } from './position.ts';

/** Candidates that start with the typed prefix, or the shell's own file completion. */
export type Offer = readonly Candidate[] | 'files';

/** The candidates for a position. @throws whatever the completion of a flag or argument throws */
export async function candidatesAt(position: Position, asked: Omit<Asked, 'prefix'>): Promise<Offer> {
  const { command, at, before } = position;
  switch (at.kind) {
    case 'nothing':
      return [];
    case 'flag':
      return startingWith(at.prefix, flagsOf(command));
    case 'value':
      return await completed(completionOf(at.option), { ...asked, prefix: at.prefix }, at.head);
    case 'word': {
      const subs = before.length > 0 ? [] : startingWith(at.prefix, subCommandsOf(command));
      const completion = at.argument && completionOf(at.argument);
      const offer = await completed(completion, { ...asked, prefix: at.prefix });
      if (offer === 'files') return offer;
      // A word that is on the command line already is not offered again.
      const found = [...subs, ...offer.filter(({ word }) => !before.includes(word))];
      const onlyFlagsFit = completion === undefined && command.commands.length === 0 && at.prefix === '';
      return onlyFlagsFit ? flagsOf(command) : found;
    }
  }
}

async function completed(completion: ReturnType<typeof completionOf>, asked: Asked, head = ''): Promise<Offer> {
  if (completion === undefined || completion === 'files') return completion ?? [];
  const found =
    typeof completion === 'function' ? await completion(asked) : completion.map((word): Candidate => ({ word }));
  return startingWith(asked.prefix, found).map((each) => ({ ...each, word: `${head}${each.word}` }));
}

const startingWith = (prefix: string, candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter(({ word }) => word.startsWith(prefix));

const subCommandsOf = (command: Command): Candidate[] =>
  command.commands.map((each) => ({ word: each.name(), about: each.description() }));

function flagsOf(command: Command): Candidate[] {
  const found = [...optionsOf(command)].filter(({ hidden }) => !hidden);
  const named = found.map(({ long, short, description }) => ({ word: long ?? short ?? '', about: description }));
  return [...named, { word: '--help', about: 'display help for command' }];
}
