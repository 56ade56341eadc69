import {
  BlobServiceClient,
  type BlockBlobClient,
  type ContainerClient,
  newPipeline,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { type AzureLimits, type AzureStoreConfig, accountUrl } from './azure-config.ts';
import { azureError } from './azure-error.ts';
import { azureHttp, type Reaching } from './azure-http.ts';
import { principalTokens } from './azure-token.ts';

/** The SDK's clients for one container, with a connection pool of their own. */
export interface AzureClient {
  config: AzureStoreConfig;
  limits: AzureLimits;
  clock: Clock;
  service: BlobServiceClient;
  container: ContainerClient;
  /** @throws OBJECT_KEY_INVALID */
  blob(key: string): BlockBlobClient;
  /** Signs with the account's key; undefined for a service principal. */
  sharedKey: StorageSharedKeyCredential | undefined;
  /**
   * Runs one call and tells its failure in the words of the port. The call gets a signal that also aborts after the limit
   * of time, which grows with the bytes that are sent; an abort of the caller's is its own reason.
   */
  call<T>(
    subject: string,
    signal: AbortSignal | undefined,
    act: (signal: AbortSignal) => Promise<T>,
    bytesSent?: number,
  ): Promise<T>;
  close(): Promise<void>;
}

export function azureClient(config: AzureStoreConfig, limits: AzureLimits, reaching: Reaching): AzureClient {
  const { credentials } = config;
  const { clock, proxyFor } = reaching;
  checkTls(config);
  const sharedKey =
    credentials.kind === 'accountKey'
      ? new StorageSharedKeyCredential(config.storageAccount, credentials.accountKey)
      : undefined;
  const http = azureHttp(config, limits, reaching);
  const pipeline = newPipeline(sharedKey ?? principalTokens(principalOf(config), { clock, proxyFor }), {
    // The caller decides about another attempt, by the error's retry fate.
    retryOptions: { maxTries: 1 },
    userAgentOptions: { userAgentPrefix: 'lateen' },
    httpClient: http.client,
  });
  const service = new BlobServiceClient(accountUrl(config), pipeline);
  const container = service.getContainerClient(config.bucket);
  return {
    config,
    limits,
    clock,
    service,
    container,
    blob: (key) => {
      checkKey(key);
      return container.getBlockBlobClient(key);
    },
    sharedKey,
    call: async (subject, signal, act, bytesSent = 0) => {
      signal?.throwIfAborted();
      const timeout = clock.deadline(limits.answerMs + bytesSent / limits.sentBytesPerMsMin);
      try {
        return await act(signal === undefined ? timeout : AbortSignal.any([signal, timeout]));
      } catch (cause) {
        signal?.throwIfAborted();
        throw azureError(timeout.aborted ? timeout.reason : cause, subject, config);
      }
    },
    close: () => http.close(),
  };
}

/** The SDK refuses to send a token in clear, in words about a connection. @throws LOCATION_INVALID */
function checkTls({ credentials, tls }: AzureStoreConfig): void {
  if (tls || credentials.kind === 'accountKey') return;
  throw new AppError(
    'LOCATION_INVALID',
    'a service principal is only used over https, and config.storageAccountURI is an http address',
    { retry: 'later', nextStep: 'Write config.storageAccountURI with https.' },
  );
}

/** Azure would store it under another name: it takes a backslash for a slash. */
function checkKey(key: string): void {
  if (!key.includes('\\')) return;
  throw new AppError('OBJECT_KEY_INVALID', `Azure holds no object "${key}": a name must not have a backslash`);
}

function principalOf({ credentials }: AzureStoreConfig) {
  if (credentials.kind === 'accountKey') throw new TypeError('an account key is not a principal');
  return credentials;
}
