import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const dayMs = 24 * 60 * 60_000;
/** A session connects once, right after the start of its server. */
const validDays = 30;

/** The certificate of one server and its key. */
export interface ServerCertificate {
  /** PEM. */
  certificate: string;
  /** PEM; secret. */
  key: string;
}

/**
 * A certificate that a server signs itself, for 127.0.0.1: a key on P-256, which is made in less than a millisecond. The RSA key of kopia's own
 * certificate takes 0.1 to 0.5 s of CPU at each start. Node makes no certificates, and a library for all kinds of them takes longer to load
 * than this one takes to be written (RFC 5280, section 4.1).
 */
export function makeServerCertificate(nowMs: number): ServerCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = bodyOf(publicKey, nowMs);
  const signed = der(tags.sequence, body, ecdsaWithSha256, der(tags.bits, zero, sign('sha256', body, privateKey)));
  return { certificate: pem(signed), key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

const tags = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  text: 0x0c,
  timeBefore2050: 0x17,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  /** Of a name in a certificate: an IP address. */
  address: 0x87,
} as const;

const zero = Buffer.of(0);
const ecdsaWithSha256 = der(tags.sequence, der(tags.oid, Buffer.from('2a8648ce3d040302', 'hex')));
const commonName = Buffer.from('550403', 'hex');
const subjectAltName = Buffer.from('551d11', 'hex');
const loopback = Buffer.of(127, 0, 0, 1);

function bodyOf(publicKey: KeyObject, nowMs: number): Buffer {
  const title = der(tags.sequence, der(tags.oid, commonName), der(tags.text, Buffer.from('repository-server')));
  const name = der(tags.sequence, der(tags.set, title));
  const names = der(tags.octets, der(tags.sequence, der(tags.address, loopback)));
  const extension = der(tags.sequence, der(tags.oid, subjectAltName), names);
  // Positive, and never with a leading zero.
  const serial = randomBytes(16).map((byte, at) => (at === 0 ? (byte & 0x3f) | 0x40 : byte));
  return der(
    tags.sequence,
    der(tags.version, der(tags.integer, Buffer.of(2))),
    der(tags.integer, serial),
    ecdsaWithSha256,
    name,
    der(tags.sequence, timeOf(nowMs - dayMs), timeOf(nowMs + validDays * dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(tags.extensions, der(tags.sequence, extension)),
  );
}

/** `300102030405Z`, and from 2050 on `20500102030405Z`. */
function timeOf(ms: number): Buffer {
  const text = `${new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
  return text < '2050' ? der(tags.timeBefore2050, Buffer.from(text.slice(2))) : der(tags.time, Buffer.from(text));
}

/** A value with its tag and its length. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(value.length), value]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  return length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
}

const pem = (bytes: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;

/** Memory that looks like a directory; each Linux container has it. */
const memoryDirectory = '/dev/shm';
/** Of Linux: with the flag for directories, a file without a name. */
const withoutName = 0o20_000_000;

/**
 * A file in memory that has no name, so nobody finds it and nothing of it stays. A child gets it as a descriptor.
 * @throws of the system, where there is no such memory
 */
export async function memoryFile(text: string): Promise<FileHandle> {
  const file = await open(memoryDirectory, constants.O_RDWR | constants.O_DIRECTORY | withoutName, 0o600);
  try {
    await file.writeFile(text);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
