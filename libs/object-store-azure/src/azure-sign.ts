import { BlobSASPermissions, generateBlobSASQueryParameters, SASProtocol } from '@azure/storage-blob';
import { AppError } from '@lateen/errors';
import { durationText } from '@lateen/kernel';
import type { AzureClient } from './azure-client.ts';

/** A key of a service principal holds no longer (Get User Delegation Key, "Request body"). */
const ttlMsMax = 7 * 24 * 60 * 60 * 1_000;
/** The clock of the storage account may be behind ours. */
const earlyMs = 5 * 60 * 1_000;

/**
 * A URL with a shared access signature for one GET of one blob. Signed with the account's key; a service principal asks
 * the account for a key of its own first, which is the one call that is made.
 */
export async function signedUrl(
  client: AzureClient,
  key: string,
  ttlMs: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  signal?.throwIfAborted();
  if (!(ttlMs > 0 && ttlMs <= ttlMsMax)) {
    throw new AppError(
      'SIGNED_URL_UNSUPPORTED',
      `Azure signs URLs for 1ms to ${durationText(ttlMsMax)}, not for ${durationText(ttlMs)}`,
    );
  }
  const { config, clock, service, sharedKey } = client;
  const { url } = client.blob(key);
  const now = clock.now();
  // The signature holds whole seconds.
  const [startsOn, expiresOn] = [new Date(now - earlyMs), new Date(Math.ceil((now + ttlMs) / 1_000) * 1_000)];
  const values = {
    containerName: config.bucket,
    blobName: key,
    permissions: BlobSASPermissions.parse('r'),
    startsOn,
    expiresOn,
    protocol: config.tls ? SASProtocol.Https : SASProtocol.HttpsAndHttp,
  };
  const query =
    sharedKey === undefined
      ? generateBlobSASQueryParameters(
          values,
          await client.call('', signal, (abortSignal) =>
            service.getUserDelegationKey(startsOn, expiresOn, { abortSignal }),
          ),
          config.storageAccount,
        )
      : generateBlobSASQueryParameters(values, sharedKey);
  return `${url}?${query}`;
}
