import { webcrypto } from 'node:crypto';
// tsyringe, below x509, refuses to load without it.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto);

/** A certificate and its key, PEM. The key never reaches a log, an argument or an event. */
export interface KeyPair {
  certificate: string;
  key: string;
}

export interface LeafRequest {
  /** RFC 4514 name, `CN=system:node:node-1,O=system:nodes`. Kubernetes takes user from CN and groups from O. */
  subject: string;
  /** DNS names and IP addresses that the holder serves. Empty: a client only. */
  dnsNames?: readonly string[];
  ipAddresses?: readonly string[];
  /** Default ten years. */
  validDays?: number;
}

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;
/** A development cluster is made again rather than renewed; ten years outlive any of them. */
const validDaysDefault = 3650;
/** Certificates begin a day early, so that a machine whose clock is a little behind accepts them. */
const earlyDays = 1;

/** A new self-signed certificate authority, valid for `validDays` from `nowMs` (epoch ms). */
export async function createAuthority(
  commonName: string,
  nowMs: number,
  { validDays = validDaysDefault }: { validDays?: number } = {},
): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${commonName}`,
    keys: keys,
    serialNumber: serialNumber(),
    signingAlgorithm: keyAlgorithm,
    ...validity(nowMs, validDays),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) };
}

/** A certificate signed by `authority`: for a server when it names hosts, and always good for a client. */
export async function issue(authority: KeyPair, request: LeafRequest, nowMs: number): Promise<KeyPair> {
  const issuer = new x509.X509Certificate(authority.certificate);
  const signingKey = await importKey(authority.key);
  const keys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
  const names = [
    ...(request.dnsNames ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(request.ipAddresses ?? []).map((value) => ({ type: 'ip' as const, value })),
  ];
  const certificate = await x509.X509CertificateGenerator.create({
    subject: request.subject,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: keyAlgorithm,
    serialNumber: serialNumber(),
    ...validity(nowMs, request.validDays ?? validDaysDefault),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth, x509.ExtendedKeyUsage.serverAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) };
}

/** A key pair that signs service account tokens; `certificate` is the bare public key here. */
export async function createSigningKey(): Promise<{ publicKey: string; privateKey: string }> {
  const keys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
  const publicKey = x509.PemConverter.encode(await webcrypto.subtle.exportKey('spki', keys.publicKey), 'PUBLIC KEY');
  return { publicKey: `${publicKey}\n`, privateKey: await exportKey(keys.privateKey) };
}

const validity = (nowMs: number, validDays: number) => ({
  notBefore: new Date(nowMs - earlyDays * dayMs),
  notAfter: new Date(nowMs + validDays * dayMs),
});

/** 16 random bytes; the first bit stays 0, or the number would be negative. */
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = x509.PemConverter.decodeFirst(pem);
  return webcrypto.subtle.importKey('pkcs8', der, keyAlgorithm, false, ['sign']);
}
