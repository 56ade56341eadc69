import { AppError } from '@lateen/errors';
import { configBoolean } from '../check/config-boolean.ts';
import { locationInvalid } from '../check/location-invalid.ts';
import { wrongPodPath } from '../check/pod-path.ts';
import { shown } from '../check/shown.ts';
import { authorityOf } from './azure-authority.ts';
import type { AzureCloud } from './azure-clouds.ts';

/** A storage account as Azure's resource manager knows it. */
export interface AccountResource {
  /** `https://management.azure.com`, or that of another cloud. */
  resourceManager: string;
  subscriptionId: string;
  resourceGroup: string;
  storageAccount: string;
}

/** How an Azure location proves who we are. Never log one. */
export type AzureCredentials =
  /** The storage account's own key; base64. */
  { kind: 'accountKey'; accountKey: string } | AzurePrincipal;

/** Who is known to Microsoft Entra ID. */
export type AzurePrincipal = {
  tenantId: string;
  clientId: string;
  /** Where its tokens come from, without a slash at its end. */
  authority: string;
  /** Present where Velero would not use the principal itself, but the account's key, which it lets it look up. */
  account?: AccountResource;
} & (
  | { kind: 'clientSecret'; clientSecret: string }
  /** Azure workload identity: a token of our service account, which Kubernetes keeps fresh in a file of the pod. */
  | { kind: 'workloadIdentity'; tokenFile: string }
);

/** Where the webhook of Azure workload identity mounts the token, unless AZURE_FEDERATED_TOKEN_FILE says otherwise. */
export const federatedTokenFileDefault = '/var/run/secrets/azure/tokens/azure-identity-token';

export const accountKeyVariable = 'AZURE_STORAGE_ACCOUNT_ACCESS_KEY';

/**
 * Chooses what a Secret in env-file form offers: the account's key, unless config.useAAD is "true", or else the service
 * principal. `where` names the Secret in messages; no value is in any. @throws CREDENTIALS_INVALID
 */
export function azureCredentials(
  variables: ReadonlyMap<string, string>,
  config: Readonly<Record<string, string>>,
  { cloud, where }: { cloud: AzureCloud; where: string },
): AzureCredentials {
  const keyVariable = keyVariableOf(config);
  const isItself = configBoolean(config, 'useAAD') === true;
  const accountKey = isItself ? undefined : variables.get(keyVariable);
  if (accountKey !== undefined && accountKey !== '') {
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(accountKey)) {
      throw invalid(`${where} has a ${keyVariable} that is not base64`, 'Copy the key of the storage account again.');
    }
    return { kind: 'accountKey', accountKey };
  }
  const tenantId = variables.get('AZURE_TENANT_ID') ?? '';
  const clientId = variables.get('AZURE_CLIENT_ID') ?? '';
  const clientSecret = variables.get('AZURE_CLIENT_SECRET') ?? '';
  if (tenantId === '' || clientId === '') throw missing(where, keyVariable, isItself);
  for (const [name, id] of [
    ['AZURE_TENANT_ID', tenantId],
    ['AZURE_CLIENT_ID', clientId],
  ] as const) {
    if (!directoryId.test(id))
      throw invalid(`${where} has an ${name} that is not an ID`, 'Copy it again from the portal.');
  }
  const authority = authorityOf(config, variables, { cloud, ownToken: clientSecret === '' });
  const account = isItself ? undefined : accountOf(variables, config, cloud);
  const principal = { tenantId, clientId, authority, ...(account === undefined ? {} : { account }) };
  if (clientSecret !== '') return { kind: 'clientSecret', ...principal, clientSecret };
  const tokenFile = variables.get('AZURE_FEDERATED_TOKEN_FILE') || federatedTokenFileDefault;
  const wrong = wrongPodPath(tokenFile);
  if (wrong !== undefined) {
    throw invalid(`${where} has an AZURE_FEDERATED_TOKEN_FILE: ${wrong}`, 'Write the path of the token in the pods.');
  }
  return { kind: 'workloadIdentity', ...principal, tokenFile };
}

/** A GUID, or for a tenant one of its domains. It becomes a part of a path. */
const directoryId = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/;

/** The variable of the Secret that holds the account's key. @throws LOCATION_INVALID */
export function keyVariableOf({ storageAccountKeyEnvVar: name }: Readonly<Record<string, string>>): string {
  if (!name) return accountKeyVariable;
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return name;
  throw locationInvalid(`config.storageAccountKeyEnvVar ${shown(name)} is not the name of a variable`);
}

/** Azure documentation, "Naming rules and restrictions": Microsoft.Resources. A name of dots alone would be another path. */
const groupName = /^[\p{L}\p{N}_().-]{0,89}[\p{L}\p{N}_()-]$/u;
const subscriptionForm = /^[A-Za-z0-9-]{1,64}$/;

/** Velero asks for the key whenever config.useAAD is not "true"; it can where the account can be named. */
function accountOf(
  variables: ReadonlyMap<string, string>,
  config: Readonly<Record<string, string>>,
  { resourceManager }: AzureCloud,
): AccountResource | undefined {
  const { resourceGroup = '', storageAccount = '' } = config;
  const subscriptionId = config.subscriptionId || variables.get('AZURE_SUBSCRIPTION_ID') || '';
  if (resourceGroup === '' || subscriptionId === '') return undefined;
  if (!groupName.test(resourceGroup)) {
    throw locationInvalid(`config.resourceGroup ${shown(resourceGroup)} is not the name of a resource group`);
  }
  if (!subscriptionForm.test(subscriptionId)) {
    throw locationInvalid(`${shown(subscriptionId)} is not the ID of a subscription`, 'Copy it again from the portal.');
  }
  return { resourceManager, subscriptionId, resourceGroup, storageAccount };
}

function missing(where: string, keyVariable: string, aad: boolean): AppError {
  const principal = 'AZURE_TENANT_ID and AZURE_CLIENT_ID';
  const wanted = aad ? `no ${principal}, which config.useAAD needs` : `neither ${keyVariable} nor ${principal}`;
  return invalid(`${where} has ${wanted}`, 'Write them there as NAME=value, one in each line.');
}

function invalid(message: string, nextStep: string): AppError {
  return new AppError('CREDENTIALS_INVALID', message, { retry: 'later', nextStep });
}
