import type { Secret } from '@lateen/api-types';
import { createAuthority, issue, type KeyPair } from '@lateen/certificates';
import {
  certificatesIn,
  type KeptCertificate,
  type TlsTexts,
  tlsData,
  tlsTextsOf,
  validityOf,
} from './certificate-secret.ts';
import { type CertificateStep, certificateLimits } from './decide-certificate.ts';

/** The Secret after a step; the caller creates or updates it, guarded by the resourceVersion that it was read with. */
export async function changedSecret(
  { kept, namespace }: { readonly kept: KeptCertificate; readonly namespace: string },
  before: Secret | undefined,
  step: Exclude<CertificateStep['do'], 'keep'>,
  nowMs: number,
): Promise<Secret> {
  const texts = await changedTexts(kept, tlsTextsOf(before ?? {}), step, nowMs);
  const { name = kept.secret, labels, ...metadata } = before?.metadata ?? { namespace };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    ...before,
    metadata: { ...metadata, name, labels: { ...labels, ...kept.labels } },
    type: 'kubernetes.io/tls',
    data: tlsData(texts),
  };
}

const noNext = { nextCertificate: '', nextKey: '' } as const;

async function changedTexts(
  kept: KeptCertificate,
  before: TlsTexts,
  step: Exclude<CertificateStep['do'], 'keep'>,
  nowMs: number,
): Promise<TlsTexts> {
  const trusted = certificatesIn(before.authorities).filter((pem) => (validityOf(pem)?.toMs ?? 0) > nowMs);
  if (step === 'switch') {
    const { nextCertificate: certificate, nextKey: key } = before;
    return { authorities: trusted.join(''), certificate, key, ...noNext, exports: exportsOf(kept, before) };
  }
  const { authority, leaf } = await freshPair(kept, nowMs);
  const authorities = [...trusted, authority].join('');
  return step === 'make'
    ? { authorities, ...leaf, ...noNext, exports: exportsOf(kept, { ...before, key: before.key || leaf.key }) }
    : {
        ...before,
        authorities,
        nextCertificate: leaf.certificate,
        nextKey: leaf.key,
        exports: exportsOf(kept, before),
      };
}

/** For a Secret of an earlier release: the key that export names are derived from now, so that it is stored before it is replaced. */
const exportsOf = ({ keepsFirstKey }: KeptCertificate, { exports, key }: TlsTexts): string =>
  keepsFirstKey ? exports || key : '';

/** An authority and the one certificate that it signs. The key of the authority is not stored. */
async function freshPair(
  { serverName, dnsNames = [], ipAddresses = [] }: KeptCertificate,
  nowMs: number,
): Promise<{ authority: string; leaf: KeyPair }> {
  const { validDays } = certificateLimits;
  const authority = await createAuthority(`${serverName}-ca`, nowMs, { validDays });
  const names = { dnsNames: [serverName, ...dnsNames], ipAddresses };
  const leaf = await issue(authority, { subject: `CN=${serverName}`, ...names, validDays }, nowMs);
  return { authority: authority.certificate, leaf };
}
