import type { KubeApi } from '@lateen/kube';
import { Argument, Option } from 'commander';
import type { GlobalOptions } from '../command-context.ts';

/** One candidate for the word at the cursor. */
export interface Candidate {
  word: string;
  /** Description; shown by shells that support it. */
  about?: string;
  /** The word continues after this candidate: the shell adds no space. */
  goesOn?: true;
}

/** What is known when a word is completed. */
export interface Asked {
  /** The part of the word that is typed already. */
  prefix: string;
  /** The values of the global flags before the word. */
  global: GlobalOptions;
  /** Connects on the first call. */
  kube(): Promise<KubeApi>;
  /** Names of the contexts in the kubeconfig. */
  contexts(): Promise<readonly string[]>;
  /** Aborts when the answer is no longer needed. */
  signal: AbortSignal;
}

/**
 * Finds candidates; those that do not start with the typed prefix are dropped by the caller. When it throws, there are no
 * candidates.
 */
export type FindCandidates = (asked: Asked) => Promise<readonly Candidate[]>;

/** Possible values of a flag or an argument: fixed words, a file, or names from the cluster. */
export type Completion = readonly string[] | 'files' | FindCandidates;

/** For a comma-separated list: completes the last item and keeps those before it. */
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

/** A flag with a value, and its completion. */
export function completedOption(flags: string, description: string, completion: Completion): Option {
  const option = new Option(flags, description);
  declared.set(option, completion);
  return option;
}

/** An argument with its completion. */
export function completedArgument(name: string, description: string, completion: Completion): Argument {
  const argument = new Argument(name, description);
  declared.set(argument, completion);
  return argument;
}

/**
 * The declared completion; otherwise the choices that commander checks, or the one for the placeholder of a flag; undefined: free
 * text.
 */
export function completionOf(of: Option | Argument): Completion | undefined {
  return declared.get(of) ?? of.argChoices ?? ('flags' in of ? byPlaceholder(of.flags) : undefined);
}

function byPlaceholder(flags: string): Completion | undefined {
  if (flags.endsWith('<file>')) return 'files';
  if (!isSwitch({ flags })) return undefined;
  // A duration is possible too, but only these two words can be offered.
  return flags.endsWith('duration]') ? async () => [{ word: 'true' }, { word: 'false' }] : ['true', 'false'];
}

/** A flag that takes a value only after `=` (boolean-flag.ts). */
export const isSwitch = ({ flags }: Pick<Option, 'flags'>): boolean => /\[true\|false(\|duration)?\]$/.test(flags);
