import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createAuthority, createSigningKey, issue, type KeyPair, type LeafRequest } from '@lateen/certificates';
import { readIfThere, writeFileAtomically } from '../host/write-file.ts';

/**
 * The certificates of one cluster as files `<name>.crt` and `<name>.key` in one folder, created on first use and kept, so that a second
 * `up` changes nothing. A certificate is issued again when its request changes (another address).
 */
export interface CertificateStore {
  readonly dir: string;
  readonly authority: KeyPair;
  /** The named certificate, issued if it is missing or was issued for another request. */
  certificate(name: string, request: LeafRequest): Promise<KeyPair>;
}

/** Opens the store, and creates authority (`ca`) and service account key (`service-account`) if they do not exist. */
export async function openCertificateStore(dir: string, name: string, nowMs: number): Promise<CertificateStore> {
  const authority = (await readPair(dir, 'ca')) ?? (await writePair(dir, 'ca', await createAuthority(name, nowMs)));
  if ((await readIfThere(join(dir, 'service-account.pub'))) === undefined) {
    const keys = await createSigningKey();
    await writeFileAtomically(join(dir, 'service-account.key'), keys.privateKey, { secret: true });
    await writeFileAtomically(join(dir, 'service-account.pub'), keys.publicKey);
  }
  const certificate = async (leaf: string, request: LeafRequest): Promise<KeyPair> => {
    const stampFile = join(dir, `${leaf}.request`);
    const stamp = `${JSON.stringify(request)} ${createHash('sha256').update(authority.certificate).digest('hex')}\n`;
    const kept = await readPair(dir, leaf);
    if (kept && (await readIfThere(stampFile)) === stamp) return kept;
    const made = await writePair(dir, leaf, await issue(authority, request, nowMs));
    await writeFileAtomically(stampFile, stamp);
    return made;
  };
  return { dir, authority, certificate };
}

async function readPair(dir: string, name: string): Promise<KeyPair | undefined> {
  const certificate = await readIfThere(join(dir, `${name}.crt`));
  const key = await readIfThere(join(dir, `${name}.key`));
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

/** The certificate is written last, so that a pair with a certificate is complete. */
async function writePair(dir: string, name: string, pair: KeyPair): Promise<KeyPair> {
  await writeFileAtomically(join(dir, `${name}.key`), pair.key, { secret: true });
  await writeFileAtomically(join(dir, `${name}.crt`), pair.certificate);
  return pair;
}
