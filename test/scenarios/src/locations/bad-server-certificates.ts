import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** What a TLS server presents, and its issuer. PEM. */
export interface MadeCertificate {
  cert: string;
  key: string;
}

export interface CertificateWishes {
  /** DNS names and IPv4 addresses. */
  names: readonly string[];
  /** YYMMDDhhmmss, UTC. */
  from?: string;
  until?: string;
}

export interface Authority {
  cert: string;
  issue(wishes: CertificateWishes): MadeCertificate;
}

type Pair = { publicKey: KeyObject; privateKey: KeyObject };
interface Contents extends CertificateWishes {
  subject: string;
  issuer: string;
  isAuthority: boolean;
}

const newPair = (): Pair => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pemOfKey = ({ privateKey }: Pair): string => String(privateKey.export({ type: 'pkcs8', format: 'pem' }));

/** A new certificate authority; no client trusts it unless told to. */
export function newAuthority(subject: string): Authority {
  const own = newPair();
  return {
    cert: certificate({ subject, issuer: subject, isAuthority: true, names: [] }, own, own),
    issue: (wishes) => {
      const pair = newPair();
      const contents = { ...wishes, subject: 'Server of a test', issuer: subject, isAuthority: false };
      return { cert: certificate(contents, pair, own), key: pemOfKey(pair) };
    },
  };
}

/** Self-signed. */
export function selfSigned(wishes: CertificateWishes): MadeCertificate {
  const [pair, subject] = [newPair(), 'Nobody'];
  return {
    cert: certificate({ ...wishes, subject, issuer: subject, isAuthority: false }, pair, pair),
    key: pemOfKey(pair),
  };
}

// X.509 in DER (RFC 5280, section 4.1), as far as these certificates need it.
const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const oid = (...bytes: number[]): Buffer => der(0x06, Buffer.from(bytes));
const yes = der(0x01, Buffer.from([0xff]));
const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const commonName = (text: string): Buffer =>
  sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(text)))));
const time = (text: string): Buffer => der(0x17, Buffer.from(`${text}Z`));

function certificate(contents: Contents, pair: Pair, signer: Pair): string {
  const { subject, issuer, from = '200101000000', until = '491231235959' } = contents;
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    commonName(issuer),
    sequence(time(from), time(until)),
    commonName(subject),
    pair.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions(contents))),
  );
  const signature = sign('sha256', body, signer.privateKey);
  const whole = sequence(body, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function extensions({ isAuthority, names }: Contents): Buffer[] {
  if (isAuthority) return [sequence(oid(0x55, 0x1d, 0x13), yes, der(0x04, sequence(yes)))];
  const entries = names.map((name) =>
    /^[\d.]+$/.test(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name)),
  );
  return [sequence(oid(0x55, 0x1d, 0x11), der(0x04, sequence(...entries)))];
}
