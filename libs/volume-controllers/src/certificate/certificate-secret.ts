import { X509Certificate } from 'node:crypto';
import type { Secret } from '@lateen/api-types';
import { storageLabels, storageLabelValues } from '@lateen/storage-types';

/** A Secret of type kubernetes.io/tls that programs of ours make and renew, as kubelets mount it: `ca.crt`, `tls.crt`, `tls.key`. */
export interface KeptCertificate {
  readonly secret: string;
  /** The first name in the certificate; programs of ours expect it whatever address they call, because addresses of pods change. */
  readonly serverName: string;
  /** Further names and addresses, for clients that call by these. A certificate that lacks one is replaced. */
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  /** Labels of a Secret that we have made. A Secret without them belongs to a person: it is used and never written. */
  readonly labels: Readonly<Record<string, string>>;
  /** Whether the first private key stays in the Secret as {@link tlsKeys}.exports. */
  readonly keepsFirstKey: boolean;
}

/** The Secret with which managers and instance managers authenticate each other. All share one certificate with one name in it. */
export const volumeManagerTls = {
  secret: 'volume-manager-tls',
  serverName: 'volume-manager',
  labels: { [storageLabels.managedBy]: storageLabelValues.manager },
  keepsFirstKey: true,
} as const satisfies KeptCertificate;

export const tlsKeys = {
  authorities: 'ca.crt',
  certificate: 'tls.crt',
  key: 'tls.key',
  /** The next pair, until all programs trust its authority. */
  nextCertificate: 'lateen-next.crt',
  nextKey: 'lateen-next.key',
  /**
   * The key from which the names of exports are derived: the private key that the Secret held first. It is kept when the certificate is renewed,
   * because a running replica keeps its export name, and an engine that starts later has to find it. When it is missing, `tls.key` is used.
   */
  exports: 'lateen-exports.key',
} as const;
export type TlsKey = keyof typeof tlsKeys;

/** The texts of the Secret by key; absent ones are empty. */
export type TlsTexts = Readonly<Record<TlsKey, string>>;

export function tlsTextsOf({ data = {} }: Pick<Secret, 'data'>): TlsTexts {
  const read = (key: TlsKey): string => Buffer.from(data[tlsKeys[key]] ?? '', 'base64').toString('utf8');
  return {
    authorities: read('authorities'),
    certificate: read('certificate'),
    key: read('key'),
    nextCertificate: read('nextCertificate'),
    nextKey: read('nextKey'),
    exports: read('exports'),
  };
}

/** The `data` of the Secret; empty texts are left out. */
export function tlsData(texts: TlsTexts): Record<string, string> {
  const entries = Object.entries(tlsKeys) as [TlsKey, string][];
  return Object.fromEntries(
    entries.flatMap(([key, name]) =>
      texts[key] === '' ? [] : [[name, Buffer.from(texts[key], 'utf8').toString('base64')]],
    ),
  );
}

/** Whether a program of ours has made the Secret. A Secret that a person has made is used and never written. */
export const isOurs = ({ labels }: Pick<KeptCertificate, 'labels'>, { metadata }: Pick<Secret, 'metadata'>): boolean =>
  Object.entries(labels).every(([label, value]) => metadata.labels?.[label] === value);

/** Whether a certificate is for all names and addresses that it is kept for. */
export function namesAll({ serverName, dnsNames = [], ipAddresses = [] }: KeptCertificate, pem: string): boolean {
  try {
    const certificate = new X509Certificate(pem);
    const isFor = (name: string) => certificate.checkHost(name, { subject: 'never' }) !== undefined;
    return [serverName, ...dnsNames].every(isFor) && ipAddresses.every((ip) => certificate.checkIP(ip) !== undefined);
  } catch {
    // Not a certificate, which the caller finds by its validity.
    return false;
  }
}

/** The validity of a certificate, in epoch ms; undefined when the text is not a certificate. */
export function validityOf(pem: string): { readonly fromMs: number; readonly toMs: number } | undefined {
  try {
    const { validFrom, validTo } = new X509Certificate(pem);
    return { fromMs: Date.parse(validFrom), toMs: Date.parse(validTo) };
  } catch {
    // Not a certificate: the caller says what is wrong with the Secret.
    return undefined;
  }
}

/** The certificates of a PEM text, one after the other. */
export const certificatesIn = (pem: string): readonly string[] =>
  [...pem.matchAll(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----\n?/g)].map(([text]) => text);
