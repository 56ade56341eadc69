import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { type BackupStorageLocation, backupStorageLocationType, secretType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi } from '@lateen/kube';
import { quoted } from '../output/quoted.ts';

/** A bundle of all authorities there are has 0.3 MiB. */
const bundleBytesMax = 4 * 1024 * 1024;

const certificate = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * Certificates that a link's server may be signed by: the system's, and those given (cli.md section 7). Undefined when
 * nothing is given and the system names none of its own: what the runtime trusts by default is right then.
 * @param bundles PEM texts
 */
export function trustedAuthorities(bundles: readonly string[]): string[] | undefined {
  const system = getCACertificates('system');
  const given = bundles.flatMap((bundle) => bundle.match(certificate) ?? []);
  if (system.length + given.length === 0) return undefined;
  return [...new Set([...getCACertificates('default'), ...system, ...given])];
}

/** The content of a `--cacert` file. @throws AppError BAD_FLAG naming the file and what is wrong with it */
export async function readCaFile(path: string, signal: AbortSignal): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, { encoding: 'utf8', signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new AppError('BAD_FLAG', `--cacert ${quoted(path)} cannot be read`, { cause });
  }
  if (text.length > bundleBytesMax)
    throw new AppError('BAD_FLAG', `--cacert ${quoted(path)} is larger than ${bundleBytesMax} bytes`);
  checkBundle(text, `--cacert ${quoted(path)}`);
  return text;
}

/**
 * The authority that the location of a backup brings along, if it has one.
 * @throws AppError LOCATION_CA_UNREADABLE when it names one that cannot be had
 */
export async function readLocationCa(
  kube: KubeApi,
  { namespace, location }: { namespace: string; location: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await kube.get(backupStorageLocationType, { namespace, name: location }, { signal }).catch((error) => {
    // The server will say so in its own words, with what to do about it.
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  const text = await caTextOf(kube, found, signal);
  if (text === undefined) return undefined;
  checkBundle(text, `the CA certificate of BackupStorageLocation ${namespace}/${location}`);
  return text;
}

async function caTextOf(
  kube: KubeApi,
  { metadata, spec }: BackupStorageLocation,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { caCert, caCertRef } = spec.objectStorage;
  if (caCert) return Buffer.from(caCert, 'base64').toString('utf8');
  if (!caCertRef?.name) return undefined;
  const key = { namespace: metadata.namespace ?? '', name: caCertRef.name };
  const where = `Secret ${key.namespace}/${key.name} key ${caCertRef.key}`;
  const failed = (why: string, cause?: unknown) =>
    new AppError(
      'LOCATION_CA_UNREADABLE',
      `the CA certificate of BackupStorageLocation ${metadata.name} in ${where} ${why}`,
      {
        cause,
        nextStep: 'Give the certificate with --cacert.',
      },
    );
  const secret = await kube.get(secretType, key, { signal }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw failed('cannot be read', cause);
  });
  const data = secret.data?.[caCertRef.key];
  if (data === undefined) throw failed('is not there');
  return Buffer.from(data, 'base64').toString('utf8');
}

/** Here the reader can be told which one is wrong; TLS says only that something is. */
function checkBundle(text: string, what: string): void {
  const found = text.match(certificate) ?? [];
  const nextStep = 'Give a PEM file with BEGIN CERTIFICATE lines.';
  if (found.length === 0) throw new AppError('BAD_FLAG', `${what} holds no PEM certificate`, { nextStep });
  for (const pem of found) {
    try {
      new X509Certificate(pem);
    } catch (cause) {
      throw new AppError('BAD_FLAG', `${what} holds a certificate that cannot be read`, { cause, nextStep });
    }
  }
}
