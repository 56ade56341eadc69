import { locationInvalid } from '../check/location-invalid.ts';
import { shown } from '../check/shown.ts';
import type { AzureLocation } from '../resolved-location.ts';
import type { AccountResource, AzurePrincipal } from './azure-credentials.ts';

/**
 * Asks the resource manager for a key of an account, in the name of a principal. Undefined: it may not have one, or there
 * is none that may write. @throws OBJECT_STORE_FORBIDDEN, OBJECT_STORE_UNAVAILABLE, the reason of the signal
 */
export type ListAccountKey = (
  principal: AzurePrincipal,
  account: AccountResource,
  options: { signal: AbortSignal },
) => Promise<string | undefined>;

/**
 * The location as the store and the engines are to use it: with the account's key where a principal has it for the asking,
 * as with Velero, whose set-up gives principals the right to list keys and no right on the data. One that has that
 * right alone is used itself, at Azure only. @throws LOCATION_INVALID, and what `list` throws
 */
export async function withUsableCredentials(
  location: AzureLocation,
  list: ListAccountKey,
  options: { signal: AbortSignal },
): Promise<AzureLocation> {
  const { credentials } = location;
  if (credentials.kind === 'accountKey') return location;
  const { account, ...principal } = credentials;
  const accountKey = account === undefined ? undefined : await list(principal, account, options);
  if (accountKey !== undefined) return { ...location, credentials: { kind: 'accountKey', accountKey } };
  checkIsAzures(location);
  return { ...location, credentials: principal };
}

/** Domains that only Azure serves. */
const azures =
  /(^|\.)(core\.windows\.net|core\.usgovcloudapi\.net|core\.chinacloudapi\.cn|core\.cloudapi\.de|storage\.azure\.net)(:\d+)?$/;

/** A request of a principal carries its token, which opens every account that it may use. A key is only signed with. */
function checkIsAzures({ storageAccount, storageDomain }: AzureLocation): void {
  if (azures.test(storageDomain)) return;
  throw locationInvalid(
    `config.storageAccountURI is not an address of Azure, and ${shown(`${storageAccount}.${storageDomain}`)} would get the token of the principal`,
    'Write the address of the storage account at Azure, or give its key in the Secret.',
  );
}
