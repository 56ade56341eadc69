import { join } from 'node:path';
import type { TlsFiles } from '@lateen/grpc';

/** The files of the Secret that all instance managers and managers of a cluster share. */
export const tlsFilesIn = (directory: string): TlsFiles => ({
  ca: join(directory, 'ca.crt'),
  cert: join(directory, 'tls.crt'),
  key: join(directory, 'tls.key'),
});
