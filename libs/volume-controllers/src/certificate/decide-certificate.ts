import type { Secret } from '@lateen/api-types';
import { age } from '@lateen/kernel';
import { certificatesIn, isOurs, tlsTextsOf, validityOf } from './certificate-secret.ts';

const dayMs = 86_400_000;

export const certificateLimits = {
  /** Of authority and certificate alike: nobody keeps the key of an authority, so it signs once. */
  validDays: 365,
  /** The next certificate is made when the present one ends within this time. */
  renewMs: 60 * dayMs,
  /**
   * How long the next authority is trusted before its certificate is shown: each kubelet has brought the Secret to its pods by then, and
   * each program has read it again.
   */
  announcedMs: dayMs,
  /** How often a manager looks. */
  lookMs: 3_600_000,
} as const;

/** Certificates begin a day before they were made (`@lateen/certificates`). */
const earlyMs = dayMs;

/**
 * - `make`: the Secret holds nothing that works any more.
 * - `announce`: the next certificate is put beside the present one, and its authority is trusted.
 * - `switch`: the next certificate takes the place of the present one. The old authority stays trusted until it ends.
 * - `keep`: nothing to do; `problem` says what somebody else has to.
 */
export type CertificateStep =
  | { readonly do: 'make' | 'announce' | 'switch' }
  | { readonly do: 'keep'; readonly problem?: string };

/** What is done next about the certificate. */
export function decideCertificate(secret: Secret, nowMs: number): CertificateStep {
  const texts = tlsTextsOf(secret);
  const validity = validityOf(texts.certificate);
  const works = validity !== undefined && texts.key !== '' && certificatesIn(texts.authorities).length > 0;
  if (!isOurs(secret)) return { do: 'keep', ...problemOf(works ? validity.toMs : undefined, nowMs) };
  if (!works || validity.toMs <= nowMs) return { do: 'make' };
  if (validity.toMs - nowMs > certificateLimits.renewMs) return { do: 'keep' };
  const next = validityOf(texts.nextCertificate);
  if (next === undefined || texts.nextKey === '' || next.toMs <= validity.toMs) return { do: 'announce' };
  const announcedForMs = nowMs - (next.fromMs + earlyMs);
  return announcedForMs >= certificateLimits.announcedMs ? { do: 'switch' } : { do: 'keep' };
}

/** Of a Secret that somebody else looks after. */
function problemOf(endMs: number | undefined, nowMs: number): { problem?: string } {
  if (endMs === undefined) return { problem: 'it has no certificate, key and authority that can be read' };
  if (endMs <= nowMs) return { problem: 'its certificate has expired' };
  if (endMs - nowMs > certificateLimits.renewMs) return {};
  return { problem: `its certificate expires in ${age(endMs - nowMs)}` };
}
