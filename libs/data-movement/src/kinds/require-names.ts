import { AppError } from '@lateen/errors';
import { isObjectName } from '@lateen/kube';

/**
 * Fields of a spec, by their path, that must name something: the schema lets them be empty, and a whole spec be missing.
 * Ask before anything is made, so that the message names the field.
 * @throws SPEC_INCOMPLETE naming the first that does not
 */
export function requireNames(fields: Fields): void {
  const problem = nameProblem(fields);
  if (problem !== undefined) throw problem;
}

type Fields = Readonly<Record<string, string | undefined>>;

/** The same, returned. */
export function nameProblem(fields: Fields): AppError | undefined {
  for (const [field, value = ''] of Object.entries(fields)) {
    if (isObjectName(value)) continue;
    const what = value === '' ? 'is empty' : `"${value}" is not a name`;
    return new AppError('SPEC_INCOMPLETE', `${field} ${what}`, { nextStep: 'Make a new one that names it.' });
  }
  return undefined;
}
