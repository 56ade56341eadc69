import { createHash } from 'node:crypto';

/** Says that the signature does not cover the body. */
const unsigned = 'UNSIGNED-PAYLOAD';

/** Of a request whose body was summed up with SHA-256 for its checksum (checksum.ts); so it need not be again. */
const sha256Header = 'x-amz-checksum-sha256';

/**
 * `x-amz-content-sha256` of a request (Amazon S3 API reference, "Signature calculations"). What travels in a TLS connection
 * to a server whose certificate was checked cannot be changed on its way, and hashing it once more is most of what a large object costs; anything else is
 * signed with its body, or a party in between could store another one.
 */
export function payloadHash(
  { body = new Uint8Array(), headers }: { body?: Uint8Array; headers?: Readonly<Record<string, string>> },
  { tls, verifyTls }: { tls: boolean; verifyTls: boolean },
): string {
  if (tls && verifyTls) return unsigned;
  const summed = headers?.[sha256Header];
  const hash = summed === undefined ? createHash('sha256').update(body).digest() : Buffer.from(summed, 'base64');
  return hash.toString('hex');
}
