import type { Secret } from '@lateen/api-types';
import { age } from '@lateen/kernel';
import {
  certificatesIn,
  isOurs,
  type KeptCertificate,
  namesAll,
  tlsTextsOf,
  validityOf,
} from './certificate-secret.ts';

const dayMs = 86_400_000;

export const certificateLimits = {
  /** Validity of authority and certificate alike: the authority's key is not kept, so it signs only once. */
  validDays: 365,
  /** The next certificate is made when the present one expires within this time. */
  renewMs: 60 * dayMs,
  /**
   * How long the next authority is trusted before its certificate is used: by then each kubelet has updated the Secret in its pods, and each program
   * has reloaded it.
   */
  announcedMs: dayMs,
  /** How often a manager checks. */
  lookMs: 3_600_000,
} as const;

/** The validity of a certificate begins a day before it was made (`@lateen/certificates`). */
const earlyMs = dayMs;

/**
 * - `make`: the Secret holds nothing usable, or a certificate for other names.
 * - `announce`: the next certificate is stored beside the present one, and its authority is trusted.
 * - `switch`: the next certificate replaces the present one. The old authority stays trusted until it expires.
 * - `keep`: nothing to do; `problem` says what a person has to do.
 */
export type CertificateStep =
  | { readonly do: 'make' | 'announce' | 'switch' }
  | { readonly do: 'keep'; readonly problem?: string };

/** The next step for the certificate. */
export function decideCertificate(kept: KeptCertificate, secret: Secret, nowMs: number): CertificateStep {
  const texts = tlsTextsOf(secret);
  const validity = validityOf(texts.certificate);
  const works = validity !== undefined && texts.key !== '' && certificatesIn(texts.authorities).length > 0;
  if (!isOurs(kept, secret)) return { do: 'keep', ...problemOf(works ? validity.toMs : undefined, nowMs) };
  if (!works || validity.toMs <= nowMs || !namesAll(kept, texts.certificate)) return { do: 'make' };
  if (validity.toMs - nowMs > certificateLimits.renewMs) return { do: 'keep' };
  const next = validityOf(texts.nextCertificate);
  if (
    next === undefined ||
    texts.nextKey === '' ||
    next.toMs <= validity.toMs ||
    !namesAll(kept, texts.nextCertificate)
  )
    return { do: 'announce' };
  const announcedForMs = nowMs - (next.fromMs + earlyMs);
  return announcedForMs >= certificateLimits.announcedMs ? { do: 'switch' } : { do: 'keep' };
}

/** For a Secret that a person manages. */
function problemOf(endMs: number | undefined, nowMs: number): { problem?: string } {
  if (endMs === undefined) return { problem: 'it has no certificate, key and authority that can be read' };
  if (endMs <= nowMs) return { problem: 'its certificate has expired' };
  if (endMs - nowMs > certificateLimits.renewMs) return {};
  return { problem: `its certificate expires in ${age(endMs - nowMs)}` };
}
