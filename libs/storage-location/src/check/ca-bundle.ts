import { X509Certificate } from 'node:crypto';

/** A certificate without an end marker extends to the end of the text, so that it is not skipped. */
const block = /-----BEGIN CERTIFICATE-----[\s\S]*?(?:-----END CERTIFICATE-----|$)/g;

/** The PEM certificates in a text, in order. */
export const certificatesIn = (text: string): string[] => text.match(block) ?? [];

/**
 * Why a text is no PEM bundle of certificate authorities, as a sentence about it; undefined when it is one. What OpenSSL
 * says about a certificate does not help; its position does.
 */
export function wrongInCaBundle(text: string): string | undefined {
  const certificates = certificatesIn(text);
  if (certificates.length === 0) return 'it holds no PEM certificate';
  const torn = certificates.findIndex((certificate) => !isReadable(certificate));
  return torn < 0 ? undefined : `certificate ${torn + 1} in it cannot be read`;
}

function isReadable(certificate: string): boolean {
  try {
    new X509Certificate(certificate);
    return true;
  } catch {
    return false;
  }
}
