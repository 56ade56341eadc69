import { isObjectName, type KubeObject } from '@lateen/api-types';
import { AppError, quoted } from '@lateen/errors';
import type { Noun } from './noun.ts';

/**
 * Parses a name of the command line; it may have the kind in front, as `-o name` prints it.
 * @throws AppError BAD_ARGUMENT for a name that no object can have
 */
export function parseObjectName<T extends KubeObject>({ type, word }: Noun<T>, text: string): string {
  const slash = text.indexOf('/');
  const kind = text.slice(0, Math.max(slash, 0)).replace(/\.velero\.io$/, '');
  const isKind = slash > 0 && [type.kind.toLowerCase(), type.resource, word].includes(kind);
  const name = isKind ? text.slice(slash + 1) : text;
  if (isObjectName(name)) return name;
  throw new AppError('BAD_ARGUMENT', `invalid name ${quoted(text)}`, {
    nextStep:
      "A name is made of lower case letters, digits, '-' and '.', begins and ends with a letter or digit, and has at most 253 characters.",
  });
}
