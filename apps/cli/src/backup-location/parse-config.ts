import { parseCustomerKeySecret } from '@lateen/storage-location';
import { quoted } from '../output/quoted.ts';
import { parseKeyValues } from '../parse-key-values.ts';
import { badFlag, hasControls } from './refuse-flag.ts';

/** Far more than any provider has; the object must stay small enough for the API server. */
export const configLimits = { pairsMax: 64, valueCharsMax: 4096 } as const;

const keyPattern = /^[A-Za-z0-9][-A-Za-z0-9._]{0,252}$/;

/** Given to the provider from other fields of the spec (api.md section 5); which flag sets them. */
const setElsewhere: Readonly<Record<string, string>> = {
  bucket: '--bucket',
  prefix: '--prefix',
  caCert: '--cacert',
};

/** Everybody who may read the location could read these. Compared without case, `-` and `_`. */
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

const addresses = ['s3Url', 'publicUrl'];
const switches = ['s3ForcePathStyle', 'insecureSkipTLSVerify', 'enableSharedConfig', 'useAAD'];

/** What a command calls its settings, and where it takes secrets. */
export interface ConfigFlag {
  name: '--config' | '--backup-location-config';
  /** A sentence: what to do with a secret instead. */
  secrets: string;
}

/** Of `backup-location create` and `set`. */
export const configFlag: ConfigFlag = {
  name: '--config',
  secrets: 'Put it into a Secret and name that with --credential.',
};

/**
 * Reads the settings of a location's provider. @param mayBeEmpty a setting without a value is to be taken away
 * @throws AppError BAD_FLAG; the values of settings that could hold a secret never stand in it
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
    throw badFlag(`${flag.name}: ${key} is a secret and must not stand in a backup storage location`, flag.secrets);
  if (value === '' && mayBeEmpty) return;
  if (hasControls(value)) throw badFlag(`${flag.name}: the value of ${key} holds a control character`);
  if (value.length > configLimits.valueCharsMax)
    throw badFlag(`${flag.name}: the value of ${key} is longer than ${configLimits.valueCharsMax} characters`);
  if (switches.includes(key) && value !== 'true' && value !== 'false')
    throw badFlag(`${flag.name}: ${key} ${quoted(value)} is not true or false`);
  if (key === 'customerKeyEncryptionSecret' && parseCustomerKeySecret(value) === undefined)
    throw badFlag(
      `${flag.name}: ${key} ${quoted(value)} is not of the form name/key`,
      'Name a Secret of the namespace and the key in it that holds the 32 bytes.',
    );
  if (addresses.includes(key)) checkAddress(key, value, flag);
}

/** The same rules as when the location is used, said before it is stored. What may hold a password is not repeated. */
function checkAddress(key: string, value: string, flag: ConfigFlag): void {
  const text = value.includes('://') ? value : `https://${value}`;
  if (/:\/\/[^/]*@/.test(text)) throw badFlag(`${flag.name}: ${key} holds credentials`, flag.secrets);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.host === '' || !['http:', 'https:'].includes(url.protocol))
    throw badFlag(
      `${flag.name}: ${key} ${quoted(value)} is not an http or https address`,
      'Write it as https://host[:port].',
    );
  if (key === 's3Url' && (url.pathname.replace(/\/+$/, '') !== '' || url.search !== '' || url.hash !== ''))
    throw badFlag(`${flag.name}: ${key} ${quoted(value)} has a path`, 'Leave only scheme, host and port.');
}
