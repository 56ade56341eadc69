import { locationInvalid } from '../check/location-invalid.ts';
import { shown } from '../check/shown.ts';
import type { AzureCloud } from './azure-clouds.ts';

/** Where Microsoft gives tokens, in all its clouds. A secret or token that is sent there reaches no other party. */
const microsofts: ReadonlySet<string> = new Set([
  'login.microsoftonline.com',
  'login.microsoft.com',
  'login.windows.net',
  'sts.windows.net',
  'login.microsoftonline.us',
  'login.usgovcloudapi.net',
  'login-us.microsoftonline.com',
  'login.chinacloudapi.cn',
  'login.partner.microsoftonline.cn',
  'login.microsoftonline.de',
]);

/** The Secret's own word about the address in config: who owns the client secret says where it may be sent. */
export const authorityVariable = 'AZURE_AUTHORITY_HOST';

/**
 * The address of the token service, without a trailing slash. It gets the client secret, or the pod's own token,
 * so what `config.activeDirectoryAuthorityURI` names must be Microsoft's, or stand in the Secret beside the client secret too.
 * @param ownToken what is sent is a token of this pod: then only Microsoft may be asked
 * @throws LOCATION_INVALID
 */
export function authorityOf(
  { activeDirectoryAuthorityURI: text }: Readonly<Record<string, string>>,
  variables: ReadonlyMap<string, string>,
  { cloud, ownToken }: { cloud: AzureCloud; ownToken: boolean },
): string {
  if (!text) return cloud.authority;
  const url = URL.parse(text);
  const isAddress = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (!isAddress || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw locationInvalid(
      'config.activeDirectoryAuthorityURI is not the address of a host',
      'Write it as https://login.microsoftonline.com, or leave it out.',
    );
  }
  const authority = addressOf(url);
  if (authority === `https://${url.hostname}` && microsofts.has(url.hostname)) return authority;
  const allowed = URL.parse(variables.get(authorityVariable) ?? '');
  if (!ownToken && allowed !== null && addressOf(allowed) === authority) return authority;
  throw locationInvalid(
    `config.activeDirectoryAuthorityURI ${shown(authority)} is not an address of Microsoft Entra ID, and would get ${
      ownToken ? 'the token of the pods' : 'the client secret'
    }`,
    ownToken
      ? 'Leave it out, or write the address of your cloud, such as https://login.microsoftonline.com.'
      : `If it is an authority of your own, write it into the Secret too, as ${authorityVariable}=${authority}.`,
  );
}

const addressOf = ({ origin, pathname }: URL): string => `${origin}${pathname}`.replace(/\/+$/, '');
