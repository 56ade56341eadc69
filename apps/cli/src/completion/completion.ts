import type { KubeApi } from '@lateen/kube';
import { Argument, Option } from 'commander';
import type { GlobalOptions } from '../command-context.ts';

/** One word that may stand where the cursor is. */
export interface Candidate {
  word: string;
  /** What it is; shells that can show it do. */
  about?: string;
  /** More of the same word comes behind it: the shell adds no space. */
  goesOn?: true;
}

/** What is known while a word is completed. */
export interface Asked {
  /** As much of the word as is typed. */
  prefix: string;
  /** The global flags as they stand before it. */
  global: GlobalOptions;
  /** Connects on the first call. */
  kube(): Promise<KubeApi>;
  /** Names of the contexts in the kubeconfig. */
  contexts(): Promise<readonly string[]>;
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal;
}

/** Asks for candidates; those that do not begin as what is typed are dropped afterwards. What it throws is no candidate. */
export type FindCandidates = (asked: Asked) => Promise<readonly Candidate[]>;

/** What the value of a flag or an argument can be: one of some words, a file, or what the cluster has. */
export type Completion = readonly string[] | 'files' | FindCandidates;

/** For a value of several, separated by commas: the one that is being typed, behind those that stand there. */
export function severalOf(completion: readonly string[] | FindCandidates): FindCandidates {
  return async (asked) => {
    const cut = asked.prefix.lastIndexOf(',') + 1;
    const head = asked.prefix.slice(0, cut);
    const found =
      typeof completion === 'function'
        ? await completion({ ...asked, prefix: asked.prefix.slice(cut) })
        : completion.map((word): Candidate => ({ word }));
    const before = new Set(head.split(','));
    return found.filter(({ word }) => !before.has(word)).map((each) => ({ ...each, word: `${head}${each.word}` }));
  };
}

const declared = new WeakMap<Option | Argument, Completion>();

/** A flag with a value, and what can be offered for it. */
export function completedOption(flags: string, description: string, completion: Completion): Option {
  const option = new Option(flags, description);
  declared.set(option, completion);
  return option;
}

/** The same of an argument. */
export function completedArgument(name: string, description: string, completion: Completion): Argument {
  const argument = new Argument(name, description);
  declared.set(argument, completion);
  return argument;
}

/** What is declared, else the choices that commander checks, else what the placeholder of a flag says; undefined: free text. */
export function completionOf(of: Option | Argument): Completion | undefined {
  return declared.get(of) ?? of.argChoices ?? ('flags' in of ? byPlaceholder(of.flags) : undefined);
}

function byPlaceholder(flags: string): Completion | undefined {
  if (flags.endsWith('<file>')) return 'files';
  if (!isSwitch({ flags })) return undefined;
  // A duration is as good as these two words, which are all that can be offered.
  return flags.endsWith('duration]') ? async () => [{ word: 'true' }, { word: 'false' }] : ['true', 'false'];
}

/** A flag that takes a value only after `=` (boolean-flag.ts). */
export const isSwitch = ({ flags }: Pick<Option, 'flags'>): boolean => /\[true\|false(\|duration)?\]$/.test(flags);
