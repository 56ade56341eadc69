import { AppError } from '@lateen/errors';
import { isObjectName } from '@lateen/kube';

/**
 * Checks fields of a spec, by their path, that must not be empty: the schema allows empty ones, and a missing spec. Call before
 * anything is created, so that the message names the field.
 * @throws SPEC_INCOMPLETE naming the first empty one
 */
export function requireNames(fields: Fields): void {
  const problem = nameProblem(fields);
  if (problem !== undefined) throw problem;
}

type Fields = Readonly<Record<string, string | undefined>>;

/** The same check, with the error returned instead of thrown. */
export function nameProblem(fields: Fields): AppError | undefined {
  for (const [field, value = ''] of Object.entries(fields)) {
    if (isObjectName(value)) continue;
    const what = value === '' ? 'is empty' : `"${value}" is not a name`;
    return new AppError('SPEC_INCOMPLETE', `${field} ${what}`, { nextStep: 'Make a new one that names it.' });
  }
  return undefined;
}
