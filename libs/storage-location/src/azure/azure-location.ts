import { configBoolean } from '../check/config-boolean.ts';
import { locationInvalid } from '../check/location-invalid.ts';
import type { AzureLocation, CommonLocation } from '../resolved-location.ts';
import { type AzureCloud, azureCloud, publicCloud } from './azure-clouds.ts';
import { azureCredentials, keyVariableOf } from './azure-credentials.ts';

/**
 * An Azure location from its config and the Secret in env-file form. @throws LOCATION_INVALID, CREDENTIALS_INVALID
 */
export function azureLocation(
  common: CommonLocation,
  config: Readonly<Record<string, string>>,
  secret: { text: string; where: string },
): AzureLocation {
  const variables = parseEnvFile(secret.text);
  const cloudName = variables.get('AZURE_CLOUD_NAME') ?? '';
  const cloud = azureCloud(cloudName);
  if (cloud === undefined) {
    throw locationInvalid(
      `${secret.where}: AZURE_CLOUD_NAME "${cloudName}" is not a cloud of Azure`,
      'Write AzurePublicCloud, AzureUSGovernment or AzureChinaCloud, or leave it out.',
    );
  }
  return {
    ...common,
    provider: 'azure',
    ...azureSettings(config, cloud),
    credentials: azureCredentials(variables, config, { cloud, where: secret.where }),
  };
}

type Account = Pick<AzureLocation, 'storageAccount' | 'storageDomain' | 'tls'>;

/** What config alone says of an Azure location, in a cloud. @throws LOCATION_INVALID */
export function azureSettings(
  config: Readonly<Record<string, string>>,
  { blobDomain }: AzureCloud = publicCloud,
): Account {
  configBoolean(config, 'useAAD');
  keyVariableOf(config);
  const { storageAccount = '', storageAccountURI: uri = '' } = config;
  if (storageAccount === '') throw locationInvalid('config.storageAccount is missing', 'Name the storage account.');
  if (!/^[a-z0-9-]{1,63}$/.test(storageAccount)) {
    throw locationInvalid(
      `config.storageAccount "${storageAccount}" is not the name of a storage account`,
      'Write its name alone; an address goes into config.storageAccountURI.',
    );
  }
  if (uri === '') return { storageAccount, storageDomain: blobDomain, tls: true };
  const url = URL.parse(uri.includes('://') ? uri : `https://${uri}`);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw locationInvalid(`config.storageAccountURI is not an http or https address`, uriForm(storageAccount));
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw locationInvalid(
      'config.storageAccountURI holds credentials',
      'Move them into the Secret of spec.credential.',
    );
  }
  if (url.pathname !== '/' || !url.host.startsWith(`${storageAccount}.`)) {
    throw locationInvalid(
      `config.storageAccountURI "${uri}" is not the address of storage account "${storageAccount}"`,
      uriForm(storageAccount),
    );
  }
  const storageDomain = url.host.slice(storageAccount.length + 1);
  return { storageAccount, storageDomain, tls: url.protocol === 'https:' };
}

const uriForm = (storageAccount: string): string => `Write it as https://${storageAccount}.<domain>.`;

/**
 * Reads `NAME=value` lines, as the Secrets of Azure hold them: `export` before a name, quotes around a value and lines
 * of comment (`#`) are allowed. Other lines mean nothing. A name that comes twice has its last value.
 */
function parseEnvFile(text: string): Map<string, string> {
  const variables = new Map<string, string>();
  for (const raw of text.split(/\r?\n/)) {
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(raw) ?? [];
    if (name !== undefined && value !== undefined) variables.set(name, withoutQuotes(value));
  }
  return variables;
}

const withoutQuotes = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
