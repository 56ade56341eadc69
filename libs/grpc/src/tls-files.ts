import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { type ChannelCredentials, experimental, type ServerCredentials } from '@grpc/grpc-js';
import { AppError } from '@lateen/errors';

/**
 * Paths of PEM files, as a mounted Secret of type kubernetes.io/tls has them (`ca.crt`, `tls.crt`, `tls.key`). Both sides show a
 * certificate and both verify the other's by `ca`. The files are read again each minute, so that a renewed certificate
 * needs no restart.
 */
export interface TlsFiles {
  ca: string;
  cert: string;
  key: string;
  /** How often the files are read again. */
  rereadMs?: number;
}

const rereadMsDefault = 60_000;

/** What a server shows and asks for. @throws AppError `TLS_FILES` */
export async function tlsServer(files: TlsFiles): Promise<ServerCredentials> {
  const provider = await checkedProvider(files);
  return experimental.createCertificateProviderServerCredentials(provider, provider, true);
}

/** What a client shows and asks for. @throws AppError `TLS_FILES` */
export async function tlsChannel(files: TlsFiles): Promise<ChannelCredentials> {
  const provider = await checkedProvider(files);
  return experimental.createCertificateProviderChannelCredentials(provider, provider);
}

/** Without the check a wrong file shows as a connection that never comes about. */
async function checkedProvider(
  files: TlsFiles,
): Promise<InstanceType<typeof experimental.FileWatcherCertificateProvider>> {
  const [ca, cert, key] = await Promise.all([pem(files.ca), pem(files.cert), pem(files.key)]);
  try {
    new X509Certificate(ca);
    createSecureContext({ ca, cert, key });
  } catch (cause) {
    throw wrongFiles(
      `${files.ca}, ${files.cert} and ${files.key} are not an authority, a certificate of it and its key`,
      cause,
    );
  }
  return new experimental.FileWatcherCertificateProvider({
    caCertificateFile: files.ca,
    certificateFile: files.cert,
    privateKeyFile: files.key,
    refreshIntervalMs: files.rereadMs ?? rereadMsDefault,
  });
}

async function pem(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw wrongFiles(`the TLS file ${path} cannot be read`, cause);
  }
}

const wrongFiles = (message: string, cause: unknown) =>
  new AppError('TLS_FILES', message, {
    cause,
    nextStep: 'Check the Secret that the pod mounts: it has ca.crt, tls.crt and tls.key.',
  });
