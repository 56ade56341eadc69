import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TlsFiles } from '@lateen/grpc';
import { exportKey } from '@lateen/instance-host';

/** The files of the Secret that all instance managers and managers of a cluster share. */
export const tlsFilesIn = (directory: string): TlsFiles => ({
  ca: join(directory, 'ca.crt'),
  cert: join(directory, 'tls.crt'),
  key: join(directory, 'tls.key'),
});

/** Read for each use: kubelet replaces the file when the Secret changes. */
export const exportKeyIn = async (directory: string): Promise<Uint8Array> =>
  exportKey(await readFile(join(directory, 'tls.key'), 'utf8'));
