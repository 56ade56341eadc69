import { AppError, plainLine } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import type { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { candidatesAt, type Offer } from './candidates.ts';
import type { Candidate } from './completion.ts';
import { optionsOf, type Position, positionOf } from './position.ts';

/**
 * The word that asks for candidates instead of running a command: `lateen __complete volume desc`. Name and answer are those
 * of cobra (its completion guide), so that whatever completes programs made with it, kubectl for its plugins for one, can ask us.
 */
export const completeWord = '__complete';

export const isCompletion = (words: readonly string[]): boolean => words[0] === completeWord;

export const completionLimits = {
  /** A person has pressed a key and waits. */
  answerMs: 2_000,
  /** More are of no use to anybody, and shells ask before they show so many. */
  candidatesMax: 500,
} as const;

/** What the shell is to do beside showing the candidates; the numbers are cobra's. */
const directives = { files: 0, words: 4, wordsThatGoOn: 6 } as const;

/**
 * Writes the words that may stand where the last one of `words` (which may be empty) is being typed: each on a line, with a tab
 * and what it is behind it, and at the end a line with a colon and a directive. Never rejects and says nothing else: what goes
 * wrong, and a cluster that does not answer within {@link completionLimits}, gives no candidates.
 */
export async function completeWords(
  program: Command,
  words: readonly string[],
  context: CommandContext,
): Promise<void> {
  const { clock } = context;
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const noAnswer = clock.sleep(completionLimits.answerMs, signal).then(none, none);
  // Nobody reads errors at the key that completes: the command itself tells them.
  const offer = await Promise.race([offerFor(program, words, { ...context, signal }).catch(none), noAnswer]);
  stop.abort(new AppError('COMPLETION_ENDED', 'what could be offered is known, or comes too late'));
  context.stdout.write(answerOf(offer));
}

const none = (): Offer => [];

async function offerFor(program: Command, words: readonly string[], context: CommandContext): Promise<Offer> {
  const position = positionOf(program, words);
  const global = globalOptions(position);
  let kube: Promise<KubeApi> | undefined;
  return await candidatesAt(position, {
    global,
    signal: context.signal,
    kube: () => (kube ??= context.connect(global)),
    contexts: async () => (await context.contexts?.(global)) ?? [],
  });
}

/** As commander would have them: what is given, else the default. */
function globalOptions({ command, values }: Position): GlobalOptions {
  // Those of the program come last and win; groups of commands have some too, as the namespace of the volume manager.
  const given = [...optionsOf(command)].map((option) => [
    option.attributeName(),
    values.get(option) ?? option.defaultValue,
  ]);
  return Object.fromEntries(given) as unknown as GlobalOptions;
}

function answerOf(offer: Offer): string {
  if (offer === 'files') return `:${directives.files}\n`;
  const shown = bounded(offer.filter(({ word }) => word !== '' && plainLine(word) === word));
  const goOn = shown.length > 0 && shown.every(({ goesOn }) => goesOn === true);
  return `${shown.map(lineOf).join('')}:${goOn ? directives.wordsThatGoOn : directives.words}\n`;
}

function lineOf({ word, about = '' }: Candidate): string {
  const text = plainLine(about);
  return text === '' ? `${word}\n` : `${word}\t${text}\n`;
}

/**
 * Some of very many, the last one too: shells type what all candidates begin with, and of words in order that is what the
 * first and the last have in common.
 */
function bounded(candidates: readonly Candidate[]): readonly Candidate[] {
  if (candidates.length <= completionLimits.candidatesMax) return candidates;
  const sorted = candidates.toSorted((a, b) => (a.word < b.word ? -1 : 1));
  return [...sorted.slice(0, completionLimits.candidatesMax - 1), ...sorted.slice(-1)];
}
