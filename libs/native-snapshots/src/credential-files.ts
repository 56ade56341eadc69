import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivateFile } from '@lateen/child-process';

/** Where plugins are given the credentials of a location: as a file, because that is what providers' libraries read. */
export interface CredentialFiles {
  /** A file that only this user can read. `remove` deletes it; it never rejects, and is safe to repeat. */
  put(text: string): Promise<{ path: string; remove(): Promise<void> }>;
}

/**
 * Each file has its own directory below this one, which should be in memory. A process that may have crashed before empties it at its start
 * (`clearPrivateDirectory`).
 */
export const credentialFilesIn = (directory: string): CredentialFiles => ({
  put: async (text) => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const own = await mkdtemp(join(directory, 'location-'));
    const path = join(own, 'credentials');
    const remove = () => rm(own, { recursive: true, force: true });
    try {
      await writePrivateFile(path, text);
    } catch (error) {
      await remove();
      throw error;
    }
    return { path, remove };
  },
});
