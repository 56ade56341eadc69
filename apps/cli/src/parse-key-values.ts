import { AppError, quoted } from '@lateen/errors';

/** Reads `key=value,key=value`. @throws AppError BAD_FLAG naming the part that is wrong, or a key given twice */
export function parseKeyValues(flag: string, text: string): Record<string, string> {
  const values = new Map<string, string>();
  for (const part of text.split(',')) {
    const equals = part.indexOf('=');
    const key = part.slice(0, equals).trim();
    if (equals < 1 || key === '')
      throw new AppError('BAD_FLAG', `${flag}: ${quoted(part)} is not of the form key=value`, {
        nextStep: 'Write pairs as key=value, separated by commas.',
      });
    if (values.has(key)) throw new AppError('BAD_FLAG', `${flag}: ${quoted(key)} is given twice`);
    values.set(key, part.slice(equals + 1));
  }
  return Object.fromEntries(values);
}
