import { AppError } from '@lateen/errors';
import type { AzureCloud } from './azure-clouds.ts';

/** How an Azure location proves who we are. Never log one. */
export type AzureCredentials =
  /** The storage account's own key; base64. */
  | { kind: 'accountKey'; accountKey: string }
  /** A service principal of Microsoft Entra ID. `authority` is where its tokens come from, without a slash at its end. */
  | { kind: 'clientSecret'; tenantId: string; clientId: string; clientSecret: string; authority: string }
  /** Azure workload identity: a token of our service account, which Kubernetes keeps fresh in a file of the pod. */
  | { kind: 'workloadIdentity'; tenantId: string; clientId: string; tokenFile: string; authority: string };

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
  const keyVariable = config.storageAccountKeyEnvVar || accountKeyVariable;
  const accountKey = config.useAAD === 'true' ? undefined : variables.get(keyVariable);
  if (accountKey !== undefined && accountKey !== '') {
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(accountKey)) {
      throw invalid(`${where} has a ${keyVariable} that is not base64`, 'Copy the key of the storage account again.');
    }
    return { kind: 'accountKey', accountKey };
  }
  const tenantId = variables.get('AZURE_TENANT_ID') ?? '';
  const clientId = variables.get('AZURE_CLIENT_ID') ?? '';
  const clientSecret = variables.get('AZURE_CLIENT_SECRET') ?? '';
  if (tenantId === '' || clientId === '') throw missing(where, keyVariable, config.useAAD === 'true');
  const authority = (config.activeDirectoryAuthorityURI || cloud.authority).replace(/\/+$/, '');
  const principal = { tenantId, clientId, authority };
  if (clientSecret !== '') return { kind: 'clientSecret', ...principal, clientSecret };
  const tokenFile = variables.get('AZURE_FEDERATED_TOKEN_FILE') || federatedTokenFileDefault;
  return { kind: 'workloadIdentity', ...principal, tokenFile };
}

function missing(where: string, keyVariable: string, aad: boolean): AppError {
  const principal = 'AZURE_TENANT_ID and AZURE_CLIENT_ID';
  const wanted = aad ? `no ${principal}, which config.useAAD needs` : `neither ${keyVariable} nor ${principal}`;
  return invalid(`${where} has ${wanted}`, 'Write them there as NAME=value, one in each line.');
}

function invalid(message: string, nextStep: string): AppError {
  return new AppError('CREDENTIALS_INVALID', message, { retry: 'later', nextStep });
}
