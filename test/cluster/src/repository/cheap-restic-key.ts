import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto';
import type { ObjectStore } from '@lateen/object-store';

/** A key file of restic (restic's design document, "Keys, Encryption and MAC"). */
interface KeyFile {
  N: number;
  r: number;
  p: number;
  /** Base64. */
  salt: string;
  /** Base64: a nonce of 16 bytes, the master key under AES-256-CTR, and the Poly1305-AES of that. */
  data: string;
}

const maxmem = 2 ** 30;
const nonceBytes = 16;
const macBytes = 16;

/**
 * Rewrites the key files of a new repository so that deriving the key from the password is cheap. restic chooses parameters of scrypt that
 * take half a second of CPU in each process of restic, which was most of the time of the tests with restic.
 * @param prefix of the repository
 * @throws when the password is not that of the keys
 */
export async function makeResticKeysCheap(store: ObjectStore, prefix: string, password: string): Promise<void> {
  const old: string[] = [];
  for await (const { key } of store.list(`${prefix}keys/`)) old.push(key);
  for (const key of old) {
    const { name, content } = cheapKey(await store.get(key), password);
    await store.put(`${prefix}keys/${name}`, content);
    await store.delete(key);
  }
}

/** The same master key and password, with the cheapest parameters that restic accepts. */
function cheapKey(file: Uint8Array, password: string): { name: string; content: Buffer } {
  const given = JSON.parse(Buffer.from(file).toString()) as KeyFile;
  const sealed = Buffer.from(given.data, 'base64');
  const nonce = sealed.subarray(0, nonceBytes);
  const encrypted = sealed.subarray(nonceBytes, -macBytes);
  const known = derived(given, password);
  if (!macOf(encrypted, nonce, known).equals(sealed.subarray(-macBytes)))
    throw new Error('the password does not open this key file');
  const decipher = createDecipheriv('aes-256-ctr', known.encryption, nonce);
  const masterKey = Buffer.concat([decipher.update(encrypted), decipher.final()]);

  const work = { N: 2, r: 1, p: 1, salt: given.salt };
  const cheap = derived(work, password);
  const fresh = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-ctr', cheap.encryption, fresh);
  const again = Buffer.concat([cipher.update(masterKey), cipher.final()]);
  const data = Buffer.concat([fresh, again, macOf(again, fresh, cheap)]).toString('base64');
  const content = Buffer.from(JSON.stringify({ ...given, ...work, data }));
  return { name: createHash('sha256').update(content).digest('hex'), content };
}

interface Keys {
  encryption: Buffer;
  /** Key of AES-128, which computes the pad of a MAC from the nonce. */
  macK: Buffer;
  macR: Buffer;
}

function derived({ N, r, p, salt }: Omit<KeyFile, 'data'>, password: string): Keys {
  const bytes = scryptSync(password, Buffer.from(salt, 'base64'), 64, { N, r, p, maxmem });
  return { encryption: bytes.subarray(0, 32), macK: bytes.subarray(32, 48), macR: bytes.subarray(48) };
}

/** Poly1305-AES (D. J. Bernstein, "The Poly1305-AES message-authentication code"). */
function macOf(message: Buffer, nonce: Buffer, { macK, macR }: Keys): Buffer {
  const pad = createCipheriv('aes-128-ecb', macK, null).setAutoPadding(false).update(nonce);
  const r = littleEndian(macR) & 0x0ffffffc_0ffffffc_0ffffffc_0fffffffn;
  let sum = 0n;
  for (let at = 0; at < message.length; at += 16) {
    const block = message.subarray(at, at + 16);
    sum = ((sum + littleEndian(block) + (1n << BigInt(8 * block.length))) * r) % (2n ** 130n - 5n);
  }
  const tag = BigInt.asUintN(128, sum + littleEndian(pad));
  return Buffer.from(tag.toString(16).padStart(32, '0'), 'hex').reverse();
}

const littleEndian = (bytes: Buffer): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
