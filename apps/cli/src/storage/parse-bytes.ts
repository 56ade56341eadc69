import { quoted } from '@lateen/errors';
import { parseQuantity, wholeUnits } from '@lateen/kube';
import { badFlag } from '../refuse-flag.ts';

/**
 * Parses bytes in the form of a Kubernetes quantity. @param what the name of the value, for the error @throws AppError BAD_FLAG
 */
export function parseBytes(what: string, text: string): bigint {
  const quantity = parseQuantity(text);
  const bytes = quantity === undefined ? undefined : wholeUnits(quantity);
  if (bytes === undefined || bytes < 0n)
    throw badFlag(`${what} ${quoted(text)} is not a number of bytes`, 'Write it as 20Gi, 500Mi or 1073741824.');
  return bytes;
}
