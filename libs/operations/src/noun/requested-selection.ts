import type { KubeObject } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Selection } from './find-objects.ts';
import { type Noun, pluralOf } from './noun.ts';
import { parseObjectName } from './object-name.ts';

export interface RequestedSelection {
  names: readonly string[];
  all?: boolean | undefined;
  selector?: string | undefined;
}

/**
 * The selection for commands that change something: exactly one of names, all and a selector is required.
 * @throws AppError BAD_FLAG in Velero's words (cli.md section 5), BAD_ARGUMENT for an invalid name
 */
export function selectionToChange<T extends KubeObject>(
  noun: Noun<T>,
  { names, all, selector }: RequestedSelection,
): Selection {
  const given = [names.length > 0, all === true, selector !== undefined].filter(Boolean).length;
  if (given !== 1)
    throw new AppError(
      'BAD_FLAG',
      `you must specify exactly one of: specific ${noun.word} name(s), the --all flag, or the --selector flag`,
    );
  if (selector?.trim() === '') throw new AppError('BAD_FLAG', 'flag must have a non-empty value: --selector');
  return { names: names.map((each) => parseObjectName(noun, each)), labelSelector: selector };
}

/** The selection for commands that only show: names or a selector, or neither for all. @throws AppError BAD_FLAG, BAD_ARGUMENT */
export function selectionToShow<T extends KubeObject>(
  noun: Noun<T>,
  { names, selector }: Omit<RequestedSelection, 'all'>,
): Selection {
  if (names.length > 0 && selector !== undefined)
    throw new AppError('BAD_FLAG', `names of ${pluralOf(noun)} and --selector cannot be combined`, {
      nextStep: 'Give names or --selector, not both.',
    });
  return { names: names.map((each) => parseObjectName(noun, each)), labelSelector: selector };
}
