import { isObjectName } from '@lateen/api-types';
import { AppError, quoted } from '@lateen/errors';

/**
 * A location's name as it was given; `-o name` prints the kind before it, and that is taken too.
 * @throws AppError BAD_ARGUMENT when no object can have this name
 */
export function parseLocationName(text: string): string {
  const name = text.replace(/^backupstoragelocations?(\.velero\.io)?\//, '');
  if (isObjectName(name)) return name;
  throw new AppError('BAD_ARGUMENT', `invalid name ${quoted(text)}`, {
    nextStep:
      "A name is made of lower case letters, digits, '-' and '.', begins and ends with a letter or digit, and has at most 253 characters.",
  });
}
