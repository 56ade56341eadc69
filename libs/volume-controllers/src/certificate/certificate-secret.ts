import { X509Certificate } from 'node:crypto';
import type { Secret } from '@lateen/api-types';
import { storageLabels, storageLabelValues } from '@lateen/storage-types';

/**
 * The Secret by which managers and instance managers know each other, as kubelets mount it: `ca.crt`, `tls.crt`, `tls.key`. There is one
 * certificate for all, with one name in it, since pods are called by addresses that change.
 */
export const volumeManagerTls = {
  secret: 'volume-manager-tls',
  /** The name in the certificate; clients ask for it whatever address they call. */
  serverName: 'volume-manager',
} as const;

export const tlsKeys = {
  authorities: 'ca.crt',
  certificate: 'tls.crt',
  key: 'tls.key',
  /** The next pair, while everybody gets to know its authority. */
  nextCertificate: 'lateen-next.crt',
  nextKey: 'lateen-next.key',
  /**
   * What names of exports are made with: the private key that the Secret held first. It stays when the certificate is renewed, since a replica that
   * runs keeps the name that it got, and an engine that starts later has to find it. Where it is missing, `tls.key` is meant.
   */
  exports: 'lateen-exports.key',
} as const;
export type TlsKey = keyof typeof tlsKeys;

/** Texts of the Secret by what they are; absent ones are empty. */
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

/** Whether the Secret is one that a manager has made. Another one is somebody's own: it is used and never written. */
export const isOurs = ({ metadata }: Pick<Secret, 'metadata'>): boolean =>
  metadata.labels?.[storageLabels.managedBy] === storageLabelValues.manager;

/** From when to when a certificate holds, in epoch ms; undefined for a text that is none. */
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
