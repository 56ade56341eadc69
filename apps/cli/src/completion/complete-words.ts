import { AppError, plainLine } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import type { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { candidatesAt, type Offer } from './candidates.ts';
import type { Candidate } from './completion.ts';
import { optionsOf, type Position, positionOf } from './position.ts';

/**
 * The word that asks for candidates instead of running a command: `lateen __complete volume desc`. Name and answer follow cobra
 * (its completion guide), so that tools which complete cobra programs, such as kubectl for its plugins, can call us.
 */
export const completeWord = '__complete';

export const isCompletion = (words: readonly string[]): boolean => words[0] === completeWord;

export const completionLimits = {
  /** The user has pressed a key and waits. */
  answerMs: 2_000,
  /** A longer list is of no use, and shells ask before they show one. */
  candidatesMax: 500,
} as const;

/** What the shell does besides showing the candidates; the numbers are cobra's. */
const directives = { files: 0, words: 4, wordsThatGoOn: 6 } as const;

/**
 * Writes the candidates for the last of `words` (which may be empty): one per line, followed by a tab and a description, and at
 * the end a line with a colon and a directive. Never rejects and prints nothing else: after an error, or when the cluster does
 * not answer within {@link completionLimits}, there are no candidates.
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
  // Errors are not shown during completion: the command itself reports them.
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

/** The global flags as commander would parse them: the given values, otherwise the defaults. */
function globalOptions({ command, values }: Position): GlobalOptions {
  // The flags of the program come last and win; groups of commands have flags of the same name too, such as the namespace of the
  // volume manager.
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
 * Limits a very long list, and keeps the last candidate: shells insert the common prefix of all candidates, and in a sorted list
 * that is the common prefix of the first and the last.
 */
function bounded(candidates: readonly Candidate[]): readonly Candidate[] {
  if (candidates.length <= completionLimits.candidatesMax) return candidates;
  const sorted = candidates.toSorted((a, b) => (a.word < b.word ? -1 : 1));
  return [...sorted.slice(0, completionLimits.candidatesMax - 1), ...sorted.slice(-1)];
}
