import { isObjectName, type KubeObject } from '@lateen/api-types';
import { AppError, quoted } from '@lateen/errors';
import type { Noun } from './noun.ts';

/**
 * A name as it was given; `-o name` prints the kind before it, and that is taken too.
 * @throws AppError BAD_ARGUMENT when no object can have this name
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
