import type { AzureCredentials, AzurePrincipal } from './azure-credentials.ts';

/** A storage account as Azure's resource manager knows it. */
export interface AccountResource {
  /** `https://management.azure.com`, or that of another cloud. */
  resourceManager: string;
  subscriptionId: string;
  resourceGroup: string;
  storageAccount: string;
}

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
 * What the store and the engines are to use: the account's key where a principal has it for the asking, as with the
 * reference, whose set-up gives principals the right to list keys and no right on the data. One that has that right alone is
 * used itself. @throws what `list` throws
 */
export async function usableCredentials(
  credentials: AzureCredentials,
  list: ListAccountKey,
  options: { signal: AbortSignal },
): Promise<AzureCredentials> {
  if (credentials.kind === 'accountKey' || credentials.account === undefined) return credentials;
  const { account, ...principal } = credentials;
  const accountKey = await list(principal, account, options);
  return accountKey === undefined ? principal : { kind: 'accountKey', accountKey };
}
