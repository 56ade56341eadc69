import { createHash, createSign } from 'node:crypto';
import { AppError } from '@lateen/errors';
import { type Clock, durationText } from '@lateen/kernel';
import type { GcsClient } from './gcs-client.ts';
import { encodeUrlPart, endpointOf } from './gcs-config.ts';

/** V4 signatures hold no longer (Cloud Storage, "Signed URLs"). */
const ttlSecondsMax = 7 * 24 * 60 * 60;
const algorithm = 'GOOG4-RSA-SHA256';
const signBlobUrl = (email: string) =>
  `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${encodeUrlPart(email)}:signBlob`;

/**
 * A V4 signed GET (Cloud Storage, "V4 signing process"). With a service account's key nothing is contacted; any other
 * identity asks Google to sign as config.serviceAccount.
 */
export async function signedUrl(
  client: GcsClient,
  clock: Clock,
  key: string,
  options: { ttlMs: number; signal?: AbortSignal | undefined },
): Promise<string> {
  options.signal?.throwIfAborted();
  const seconds = Math.ceil(options.ttlMs / 1_000);
  if (!(seconds >= 1 && seconds <= ttlSecondsMax)) {
    throw new AppError(
      'SIGNED_URL_UNSUPPORTED',
      `Google signs URLs for 1s to ${durationText(ttlSecondsMax * 1_000)}, not for ${durationText(options.ttlMs)}`,
    );
  }
  const email = signerOf(client);
  const endpoint = new URL(endpointOf(client.config));
  // 20300101T000000Z
  const time = new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/auto/storage/goog4_request`;
  const path = `/${encodeUrlPart(client.config.bucket)}/${key.split('/').map(encodeUrlPart).join('/')}`;
  const query = Object.entries({
    'X-Goog-Algorithm': algorithm,
    'X-Goog-Credential': `${email}/${scope}`,
    'X-Goog-Date': time,
    'X-Goog-Expires': String(seconds),
    'X-Goog-SignedHeaders': 'host',
  })
    .map(([name, value]) => `${name}=${encodeUrlPart(value)}`)
    .join('&');
  const canonical = ['GET', path, query, `host:${endpoint.host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const signature = await sign(client, email, [algorithm, time, scope, digest].join('\n'), options.signal);
  return `${endpoint.origin}${path}?${query}&X-Goog-Signature=${signature.toString('hex')}`;
}

function signerOf({ config: { credentials } }: GcsClient): string {
  if (credentials.email !== undefined) return credentials.email;
  throw new AppError('SIGNED_URL_UNSUPPORTED', 'no key of a service account is given, so no account can sign URLs', {
    nextStep: 'Name a service account in config.serviceAccount, which the pods may sign as.',
  });
}

async function sign(client: GcsClient, email: string, text: string, signal: AbortSignal | undefined): Promise<Buffer> {
  const { credentials } = client.config;
  if (credentials.kind === 'serviceAccount') {
    return createSign('RSA-SHA256').update(text).sign(credentials.privateKey);
  }
  const payload = Buffer.from(text).toString('base64');
  const { signedBlob } = await client.ask(signBlobUrl(email), { payload }, signal);
  if (typeof signedBlob === 'string') return Buffer.from(signedBlob, 'base64');
  throw new AppError('OBJECT_STORE_BAD_ANSWER', 'Google answers a request to sign without a signature', {
    retry: 'later',
  });
}
