import { X509Certificate } from 'node:crypto';
import { AppError } from '@lateen/errors';

const block = /-----BEGIN CERTIFICATE-----[\s\S]*?(?:-----END CERTIFICATE-----|$)/g;

/** Whether each certificate of a PEM bundle can be read. @throws LOCATION_INVALID naming the first that cannot */
export function checkCertificates(pem: string): void {
  for (const [index, text] of (pem.match(block) ?? []).entries()) {
    try {
      new X509Certificate(text);
    } catch (cause) {
      // What OpenSSL says of it helps nobody; the place does.
      throw new AppError('LOCATION_INVALID', `CA certificate ${index + 1} of objectStorage cannot be read`, {
        details: { cause: String(cause) },
        nextStep: 'Give one or more whole PEM certificates; a line of this one may be missing.',
      });
    }
  }
}
