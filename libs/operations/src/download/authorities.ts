import { getCACertificates } from 'node:tls';
import { backupStorageLocationType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi } from '@lateen/kube';
import { certificatesIn, readLocationCa as readCa, wrongInCaBundle } from '@lateen/storage-location';

/**
 * The CAs that may have signed the certificate of a link's server: the system's and those given (cli.md section 7). Undefined when none
 * is given and the system names none of its own: then the runtime's default list applies.
 * @param bundles PEM texts
 */
export function trustedAuthorities(bundles: readonly string[]): string[] | undefined {
  const system = getCACertificates('system');
  const given = bundles.flatMap((bundle) => certificatesIn(bundle));
  if (system.length + given.length === 0) return undefined;
  return [...new Set([...getCACertificates('default'), ...system, ...given])];
}

/**
 * Reads the CA that the location of a backup specifies, if there is one.
 * @throws AppError LOCATION_CA_UNREADABLE when the location names a CA that cannot be read
 */
export async function readLocationCa(
  kube: KubeApi,
  { namespace, location }: { namespace: string; location: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await kube.get(backupStorageLocationType, { namespace, name: location }, { signal }).catch((error) => {
    // The server reports a missing location in its own words, with the next step.
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  const what = `the CA certificate of BackupStorageLocation ${namespace}/${location}`;
  const text = await readCa(kube, found, { signal }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw unreadable(`${what} cannot be read`, cause);
  });
  // Checked here, because this message can name the faulty certificate; a TLS error cannot.
  const wrong = text === undefined ? undefined : wrongInCaBundle(text);
  if (wrong !== undefined) throw unreadable(`${what} cannot be used: ${wrong}`);
  return text;
}

const unreadable = (message: string, cause?: unknown): AppError =>
  new AppError('LOCATION_CA_UNREADABLE', message, {
    ...(cause === undefined ? {} : { cause }),
    nextStep: 'Give the certificate with --cacert.',
  });
