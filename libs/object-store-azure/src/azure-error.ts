import { type AppError, isAppError } from '@lateen/errors';
import {
  notWhatWasAsked,
  type ProviderWords,
  type Refusal,
  type RefusalCause,
  refusedError,
  type StorePlace,
  unreachableError,
} from '@lateen/object-store';
import { type AzureStoreConfig, accountUrl } from './azure-config.ts';

/** Hosts of Azure's own clouds: their address follows from the account's name, and nobody wrote it. */
const ownDomains = /^blob\.core\.(windows\.net|usgovcloudapi\.net|chinacloudapi\.cn)$/;
/** Azure refuses a request whose date is further from its own time. */
const clockSkewMaxMs = 15 * 60_000;

/** How messages speak of a container. */
export function storePlaceOf({ bucket, storageAccount, storageDomain, tls }: AzureStoreConfig): StorePlace {
  return {
    kind: 'container',
    name: bucket,
    host: `${storageAccount}.${storageDomain}`,
    tls,
    service: 'Azure Blob Storage',
    setting: ownDomains.test(storageDomain) ? '' : 'config.storageAccountURI',
    hostSetting: 'config.storageAccount',
  };
}

/** An answer outside 2xx, on its way through the SDK. */
export class AzureRefusal extends Error {
  /** `detail`: what Azure says beside its message when it cannot tell who asks; only looked at, it repeats what was sent. */
  readonly refusal: Refusal & { detail: string };

  constructor(refusal: Refusal & { detail: string }) {
    super(`HTTP ${refusal.status}`);
    this.name = 'AzureRefusal';
    this.refusal = refusal;
  }
}

/** The error of the ObjectStore port for what the SDK threw. `subject` is what was asked for: `object "k"`, "" for the container. */
export function azureError(cause: unknown, subject: string, config: AzureStoreConfig): AppError {
  if (isAppError(cause)) return cause;
  const place = storePlaceOf(config);
  if (cause instanceof AzureRefusal) {
    return refusedError(cause.refusal, { subject, place, words: wordsOf(cause.refusal, config) });
  }
  // What the SDK could not read. Its error repeats the whole answer.
  if (typeof cause === 'object' && cause !== null && 'statusCode' in cause && typeof cause.statusCode === 'number') {
    return notWhatWasAsked(place, 'listing', { text: '' });
  }
  return unreachableError(cause, { what: `object store ${accountUrl(config)}`, ...place });
}

/** Codes that say more than their status (Blob service error codes; Common REST API error codes). */
const causes: Readonly<Record<string, RefusalCause>> = {
  ContainerNotFound: 'noBucket',
  ContainerBeingDeleted: 'noBucket',
  ContainerDisabled: 'disabled',
  AccountIsDisabled: 'disabled',
  InvalidAuthenticationInfo: 'denied',
  ServerBusy: 'busy',
  OperationTimedOut: 'busy',
};

function wordsOf(refusal: Refusal & { detail: string }, { credentials }: AzureStoreConfig): ProviderWords {
  const { code, detail, status, clockSkewMs } = refusal;
  if (status === 403 && code === 'AuthenticationFailed') {
    if (/date header/i.test(detail) || Math.abs(clockSkewMs ?? 0) > clockSkewMaxMs) return { cause: 'clock' };
  }
  if ((status === 401 || status === 403) && /expired|expiry|specified time frame|lifetime validation/i.test(detail)) {
    return { cause: 'expired' };
  }
  return { cause: causes[code], nextStep: nextStepOf(code, credentials.kind) };
}

function nextStepOf(code: string, kind: AzureStoreConfig['credentials']['kind']): string | undefined {
  if (code === 'AuthenticationFailed' && kind === 'accountKey') {
    return 'The account key is wrong, or was replaced; check it in the Secret.';
  }
  if (code === 'AuthorizationPermissionMismatch') {
    return 'Give the service principal the role "Storage Blob Data Contributor" on the container.';
  }
  if (code === 'KeyBasedAuthenticationNotPermitted') {
    return 'The storage account takes no account keys; give a service principal in the Secret, or allow keys.';
  }
  if (code === 'AccountRequiresHttps') return 'Write config.storageAccountURI with https.';
  return code === 'AuthorizationFailure' ? 'Check the firewall of the storage account.' : undefined;
}
