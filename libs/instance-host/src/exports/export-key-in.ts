import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportKey } from './export-name.ts';

/**
 * Read for each use, because kubelet replaces the files when the Secret changes. The managers keep a key beside the certificate that does not change
 * at renewal; in a Secret without it (made by a person, or not renewed yet) the certificate's key is used.
 */
export async function exportKeyIn(directory: string): Promise<Uint8Array> {
  const kept = await readFile(join(directory, 'lateen-exports.key'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  return exportKey(kept ?? (await readFile(join(directory, 'tls.key'), 'utf8')));
}
