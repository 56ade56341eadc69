import { quoted } from '@lateen/errors';
import { parseKeyValues } from '../parse-key-values.ts';
import { badFlag, hasControls } from '../refuse-flag.ts';

/** Far more than any provider needs; the object must stay small enough for the API server. */
export const configLimits = { pairsMax: 64, valueCharsMax: 4096 } as const;

const keyPattern = /^[A-Za-z0-9][-A-Za-z0-9._]{0,252}$/;

/** Settings that the provider gets from other fields of the spec (api.md section 5), each with the flag that sets it. */
const setElsewhere: Readonly<Record<string, string>> = {
  bucket: '--bucket',
  prefix: '--prefix',
  caCert: '--cacert',
};

/** Every user who may read the location could read these. Compared without case, `-` and `_`. */
const secretKeys: ReadonlySet<string> = new Set([
  'accesskey',
  'accesskeyid',
  'awsaccesskeyid',
  'awssecretaccesskey',
  'awssessiontoken',
  'clientsecret',
  'password',
  'secretaccesskey',
  'secretkey',
  'sessiontoken',
  'storageaccountaccesskey',
]);

/** How a command names its settings, and where it accepts secrets. */
export interface ConfigFlag {
  name: '--config' | '--backup-location-config' | '--snapshot-location-config';
  /** A sentence: where to put a secret instead. */
  secrets: string;
}

/** The flag of `backup-location create` and `set`. */
export const configFlag: ConfigFlag = {
  name: '--config',
  secrets: 'Put it into a Secret and name that with --credential.',
};

/**
 * Parses the settings of a location's provider; `checkLocation` validates their meaning. @param mayBeEmpty a setting without a
 * value means that it is removed
 * @throws AppError BAD_FLAG; the message never contains the value of a setting that could hold a secret
 */
export function parseConfig(text: string, flag: ConfigFlag, { mayBeEmpty = false } = {}): Record<string, string> {
  const config = parseKeyValues(flag.name, text);
  const pairs = Object.entries(config);
  if (pairs.length > configLimits.pairsMax) throw badFlag(`${flag.name} has more than ${configLimits.pairsMax} pairs`);
  for (const [key, value] of pairs) checkPair(key, value, flag, mayBeEmpty);
  return config;
}

function checkPair(key: string, value: string, flag: ConfigFlag, mayBeEmpty: boolean): void {
  if (!keyPattern.test(key)) throw badFlag(`${flag.name}: ${quoted(key)} is not the name of a setting`);
  if (Object.hasOwn(setElsewhere, key)) throw badFlag(`${flag.name}: ${key} is set with ${setElsewhere[key]}`);
  if (secretKeys.has(key.toLowerCase().replace(/[-_]/g, '')))
    throw badFlag(`${flag.name}: ${key} is a secret and must not be stored in a location`, flag.secrets);
  if (value === '' && mayBeEmpty) return;
  if (hasControls(value)) throw badFlag(`${flag.name}: the value of ${key} holds a control character`);
  if (value.length > configLimits.valueCharsMax)
    throw badFlag(`${flag.name}: the value of ${key} is longer than ${configLimits.valueCharsMax} characters`);
}
