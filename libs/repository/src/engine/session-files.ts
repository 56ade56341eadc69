import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivateFile } from '@lateen/child-process';
import type { ResolvedLocation } from '@lateen/storage-location';

/** The directories for a session's files. */
export interface SessionPlaces {
  /** Private files go into a new directory below it (mode 0700). */
  workDirectory: string;
  /**
   * Memory-backed storage for the files with secrets in them. Default: LATEEN_SECRETS_DIR of `environment`, else
   * `workDirectory`.
   */
  secretsDirectory?: string | undefined;
  /** Our own environment, as the app read it. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** The private files of one session. `remove` deletes all of them; it is safe to repeat. */
export interface SessionFiles {
  /** For files without secrets: cache, temporary files. */
  directory: string;
  /** For files with secrets. The same as `directory` unless there is memory-backed storage. */
  secretsDirectory: string;
  /** The key of a Google service account, for engines that read it from nowhere else. */
  credentialsFile?: string;
  /** The CA of objectStorage.caCert, together with the CAs of SSL_CERT_FILE in our own environment. */
  caFile?: string;
  remove(): Promise<void>;
}

/** Makes the directories and writes the files that `location` needs. When one cannot be written, nothing is left. */
export async function makeSessionFiles(
  places: SessionPlaces,
  name: string,
  location: ResolvedLocation,
): Promise<SessionFiles> {
  const directory = await makeSessionDirectory(places.workDirectory, name);
  const made = [directory];
  const remove = async () => {
    for (const path of made) await rm(path, { recursive: true, force: true });
  };
  try {
    const memory = places.secretsDirectory ?? secretsDirectoryOf(places.environment);
    const secretsDirectory = memory === undefined ? directory : await makeSessionDirectory(memory, name);
    made.push(secretsDirectory);
    const files: SessionFiles = { directory, secretsDirectory, remove };
    if (location.provider === 'gcp' && location.credentials.kind !== 'ambient') {
      files.credentialsFile = join(secretsDirectory, 'credentials.json');
      await writePrivateFile(files.credentialsFile, location.credentials.json);
    }
    if (location.caPem !== undefined) {
      files.caFile = join(directory, 'ca.pem');
      await writePrivateFile(files.caFile, await withOwnTrust(location.caPem, places.environment.SSL_CERT_FILE));
    }
    return files;
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * Our private directory in memory-backed storage; undefined when the pod has none. A process empties it when it starts
 * (`clearPrivateDirectory`), because the one before may have crashed.
 */
export function secretsDirectoryOf(environment: SessionPlaces['environment']): string | undefined {
  return environment.LATEEN_SECRETS_DIR ? join(environment.LATEEN_SECRETS_DIR, 'lateen') : undefined;
}

/** With SSL_CERT_FILE set, an engine no longer reads our own file, so its content is included. */
async function withOwnTrust(pem: string, ownFile: string | undefined): Promise<string> {
  if (ownFile === undefined || ownFile === '') return pem;
  return `${pem.trimEnd()}\n${await readFile(ownFile, 'utf8')}`;
}

/**
 * Creates a directory below `workDirectory`/`name` that no other user may enter (mode 0700, whatever the umask). Returns its
 * path.
 */
async function makeSessionDirectory(workDirectory: string, name: string): Promise<string> {
  const root = join(workDirectory, name);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const directory = await mkdtemp(join(root, 'session-'));
  await chmod(directory, 0o700);
  return directory;
}
