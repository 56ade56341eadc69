import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secret } from '@lateen/api-types';
import type { Random } from '@lateen/kernel';
import { tlsKeys, tlsTextsOf } from './certificate-secret.ts';

/** Paths of files of a directory, as the services of `@lateen/grpc` read them. */
export interface CertificateFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export const certificateFilesIn = (directory: string): CertificateFiles => ({
  ca: join(directory, tlsKeys.authorities),
  cert: join(directory, tlsKeys.certificate),
  key: join(directory, tlsKeys.key),
});

/**
 * Writes the content of the Secret into an in-memory directory of this process: a manager that has just made the Secret would otherwise wait a minute
 * or more until its kubelet mounts it. Each file is replaced atomically, readable only by its owner; safe to repeat.
 */
export async function writeCertificateFiles(
  directory: string,
  secret: Pick<Secret, 'data'>,
  { random, signal }: { random: Random; signal: AbortSignal },
): Promise<CertificateFiles> {
  const texts = tlsTextsOf(secret);
  const files = certificateFilesIn(directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // The key before its certificate, and the trusted authorities first of all.
  await replace(files.ca, texts.authorities, random, signal);
  await replace(files.key, texts.key, random, signal);
  await replace(files.cert, texts.certificate, random, signal);
  return files;
}

async function replace(path: string, text: string, random: Random, signal: AbortSignal): Promise<void> {
  const unfinished = `${path}.${random.suffix(8)}`;
  try {
    await writeFile(unfinished, text, { mode: 0o600, flag: 'wx', signal });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
