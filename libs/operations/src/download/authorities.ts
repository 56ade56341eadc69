import { getCACertificates } from 'node:tls';
import { backupStorageLocationType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi } from '@lateen/kube';
import { certificatesIn, readLocationCa as readCa, wrongInCaBundle } from '@lateen/storage-location';

/**
 * Certificates that a link's server may be signed by: the system's, and those given (cli.md section 7). Undefined when
 * nothing is given and the system names none of its own: what the runtime trusts by default is right then.
 * @param bundles PEM texts
 */
export function trustedAuthorities(bundles: readonly string[]): string[] | undefined {
  const system = getCACertificates('system');
  const given = bundles.flatMap((bundle) => certificatesIn(bundle));
  if (system.length + given.length === 0) return undefined;
  return [...new Set([...getCACertificates('default'), ...system, ...given])];
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
  const what = `the CA certificate of BackupStorageLocation ${namespace}/${location}`;
  const text = await readCa(kube, found, { signal }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw unreadable(`${what} cannot be read`, cause);
  });
  // Here the reader can be told which one is wrong; TLS says only that something is.
  const wrong = text === undefined ? undefined : wrongInCaBundle(text);
  if (wrong !== undefined) throw unreadable(`${what} cannot be used: ${wrong}`);
  return text;
}

const unreadable = (message: string, cause?: unknown): AppError =>
  new AppError('LOCATION_CA_UNREADABLE', message, {
    ...(cause === undefined ? {} : { cause }),
    nextStep: 'Give the certificate with --cacert.',
  });
