import type { IncomingMessage } from 'node:http';
import { AppError, isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import {
  beginningOf,
  jsonObjectIn,
  type ProxyFor,
  postLean,
  proxyErrorIn,
  unreachableError,
} from '@lateen/object-store';
import { type PrincipalCredentials, principalTokens } from './azure-token.ts';

/** A storage account as Azure's resource manager knows it. */
export interface AccountResource {
  /** `https://management.azure.com`, or that of another cloud. */
  resourceManager: string;
  subscriptionId: string;
  resourceGroup: string;
  storageAccount: string;
}

/** Storage resource provider REST API, "Storage Accounts - List Keys". */
const apiVersion = '2023-05-01';
const accountKeyLimits = {
  answerMs: 30_000,
  answerBytesMax: 64 * 1024,
  headerBytesMax: 16 * 1024,
  saidMax: 200,
} as const;

/** {@link listAccountKey} with a clock; what programs pass to readers of a location. */
export function accountKeys(
  clock: Clock,
  proxyFor?: ProxyFor,
): (
  principal: PrincipalCredentials,
  account: AccountResource,
  options: { signal: AbortSignal },
) => Promise<string | undefined> {
  return (principal, account, { signal }) => listAccountKey(principal, account, { clock, signal, proxyFor });
}

/**
 * Asks for a key of a storage account in the name of a principal. Undefined when the principal may not have one, or none of
 * them may write. Each call requests it again, so that a key that was regenerated is not used any longer.
 * @throws OBJECT_STORE_FORBIDDEN, OBJECT_STORE_UNAVAILABLE, LOCATION_INVALID, the reason of the signal
 */
export async function listAccountKey(
  principal: PrincipalCredentials,
  account: AccountResource,
  { clock, signal, proxyFor }: { clock: Clock; signal: AbortSignal; proxyFor?: ProxyFor | undefined },
): Promise<string | undefined> {
  const timeout = clock.deadline(accountKeyLimits.answerMs);
  const either = AbortSignal.any([signal, timeout]);
  const scope = `${account.resourceManager}/.default`;
  const { token } = await principalTokens(principal, { clock, proxyFor }).getToken(scope, { abortSignal: either });
  const answer = await ask(account, { token, proxyFor }, either).catch((cause: unknown) => {
    signal.throwIfAborted();
    if (isAppError(cause) || proxyErrorIn(cause) !== undefined) throw unreachableError(cause, asAsked(account));
    throw unavailable(account, 'cannot be reached', cause);
  });
  if (answer.status === 200) return keyOf(answer.body);
  const code = codeOf(answer.body) || `HTTP ${answer.status}`;
  if (answer.status === 403) return undefined;
  if (answer.status === 404 || answer.status === 400) throw notFound(account, code);
  if (answer.status === 401) throw refused(account, code);
  throw unavailable(account, `answers ${code}`);
}

async function ask(
  { resourceManager, subscriptionId, resourceGroup, storageAccount }: AccountResource,
  { token, proxyFor }: { token: string; proxyFor: ProxyFor | undefined },
  signal: AbortSignal,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const [subscription, group, name] = [subscriptionId, resourceGroup, storageAccount].map(encodeURIComponent);
  const resource = `/subscriptions/${subscription}/resourceGroups/${group}/providers/Microsoft.Storage/storageAccounts/${name}`;
  const wanted = {
    url: `${resourceManager}${resource}/listKeys?api-version=${apiVersion}`,
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    body: '',
    headerBytesMax: accountKeyLimits.headerBytesMax,
    proxyFor,
  };
  const answer = await postLean(wanted, signal);
  try {
    return { status: answer.statusCode ?? 0, body: await fieldsOf(answer) };
  } finally {
    answer.destroy();
  }
}

/** What is no JSON object has no fields. @throws when it is larger than any real answer */
async function fieldsOf(answer: IncomingMessage): Promise<Record<string, unknown>> {
  const { bytes, cut } = await beginningOf(answer, accountKeyLimits.answerBytesMax);
  if (cut) throw new Error('the answer is too large');
  return jsonObjectIn(bytes.toString('utf8')) ?? {};
}

interface ListedKeys {
  keys?: { permissions?: unknown; value?: unknown }[];
}

function keyOf(body: ListedKeys): string | undefined {
  const { keys } = body;
  if (!Array.isArray(keys)) return undefined;
  const mayWrite = keys.find(({ permissions }) => String(permissions).toUpperCase() === 'FULL');
  return typeof mayWrite?.value === 'string' && mayWrite.value !== '' ? mayWrite.value : undefined;
}

function codeOf(body: { error?: { code?: unknown } }): string {
  const { error } = body;
  return typeof error?.code === 'string' ? error.code.slice(0, accountKeyLimits.saidMax) : '';
}

const asAsked = ({ resourceManager }: AccountResource) => ({
  what: `${resourceManager}, which is asked for the account's key`,
  tls: resourceManager.startsWith('https:'),
  ...{ service: 'Azure Resource Manager', setting: '', hostSetting: '' },
});

const itself = 'or set config.useAAD "true" to use the principal on the data itself';

function notFound({ storageAccount, resourceGroup, subscriptionId }: AccountResource, code: string): AppError {
  return new AppError(
    'LOCATION_INVALID',
    `storage account "${storageAccount}" is not found in resource group "${resourceGroup}" of subscription "${subscriptionId}" (${code})`,
    { retry: 'later', nextStep: `Correct config.resourceGroup and config.subscriptionId, ${itself}.` },
  );
}

function refused({ resourceManager }: AccountResource, code: string): AppError {
  return new AppError(
    'OBJECT_STORE_FORBIDDEN',
    `${resourceManager} does not accept the token of the principal (${code})`,
    {
      retry: 'later',
      nextStep: `Check the Secret of the location, ${itself}.`,
    },
  );
}

function unavailable(account: AccountResource, said: string, cause?: unknown): AppError {
  return new AppError('OBJECT_STORE_UNAVAILABLE', `${asAsked(account).what}, ${said}`, {
    retry: 'later',
    ...(cause === undefined ? {} : { cause }),
    nextStep: `Check the network between the cluster and Azure, ${itself}.`,
  });
}
