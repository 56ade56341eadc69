import { isDataKey, isObjectName, type SecretKeySelector } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { parseKeyValues } from '../parse-key-values.ts';
import { badFlag } from '../refuse-flag.ts';

/** Reads `secret=key`, exactly one pair. @throws AppError BAD_FLAG, in Velero's words for more than one (cli.md section 10) */
export function parseSecretKey(flag: '--credential' | '--cacert-secret', text: string): SecretKeySelector {
  const [pair, ...more] = Object.entries(parseKeyValues(flag, text));
  if (pair === undefined || more.length > 0) throw badFlag(`${flag} can only contain 1 key/value pair`);
  const [name, key] = pair;
  if (name.includes('/'))
    throw badFlag(
      `${flag}: ${quoted(name)} names a namespace`,
      'The Secret has to be in the namespace of the location; give its name alone.',
    );
  if (!isObjectName(name)) throw badFlag(`${flag}: ${quoted(name)} is not the name of a Secret`);
  if (!isDataKey(key)) throw badFlag(`${flag}: ${quoted(key)} is not a key of a Secret`);
  return { name, key };
}
