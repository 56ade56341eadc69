import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { type AppError, quoted } from '@lateen/errors';
import { wrongInCaBundle } from '@lateen/storage-location';
import { badFlag } from '../refuse-flag.ts';

/** A bundle of all public authorities has about 220 KiB; the object must stay small enough for the API server. */
const caBytesMax = 512 * 1024;

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'there is no permission to read it',
  EPERM: 'there is no permission to read it',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'the name is too long',
  ERR_INVALID_ARG_VALUE: 'there is no such file',
};

/**
 * Reads a PEM bundle of certificate authorities and checks each certificate. Only regular files are read, so that a pipe or
 * device cannot block the command.
 * @throws AppError BAD_FLAG with the problem of the file
 */
export async function readCaFile(path: string): Promise<string> {
  const pem = await readSmallFile(path);
  if (pem.trim() === '') throw bad(path, 'it is empty');
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem))
    throw bad(path, 'it holds a private key', 'Give a file with certificates only.');
  const wrong = wrongInCaBundle(pem);
  if (wrong !== undefined) throw bad(path, wrong, 'Give a PEM file with BEGIN CERTIFICATE lines.');
  return pem;
}

async function readSmallFile(path: string): Promise<string> {
  try {
    // Without O_NONBLOCK, opening a pipe waits for a writer.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw bad(path, 'it is not a file');
      if (stat.size > caBytesMax) throw bad(path, `it is larger than ${caBytesMax / 1024} KiB`);
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''];
    throw reason === undefined ? error : bad(path, reason);
  }
}

const bad = (path: string, why: string, nextStep?: string): AppError =>
  badFlag(`--cacert ${quoted(path)}: ${why}`, nextStep);
