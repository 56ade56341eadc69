import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivateFile } from '@lateen/child-process';
import type { ResolvedLocation } from '@lateen/storage-location';

/** Where a session's files may be. */
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

/** The private files of one session. `remove` takes all of them away; it is safe to repeat. */
export interface SessionFiles {
  /** For what holds no secret: cache, temporary files. */
  directory: string;
  /** For what does. The same as `directory` unless there is memory-backed storage. */
  secretsDirectory: string;
  /** The key of a Google service account, for engines that take it from nowhere else. */
  credentialsFile?: string;
  /** The authority of objectStorage.caCert, with what SSL_CERT_FILE of our own environment trusts. */
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
 * The directory in memory-backed storage that is ours alone; undefined when the pod has none. A process that may have
 * crashed before empties it when it starts (`clearPrivateDirectory`).
 */
export function secretsDirectoryOf(environment: SessionPlaces['environment']): string | undefined {
  return environment.LATEEN_SECRETS_DIR ? join(environment.LATEEN_SECRETS_DIR, 'lateen') : undefined;
}

/** An engine that is given SSL_CERT_FILE no longer reads ours, so its content goes along. */
async function withOwnTrust(pem: string, ownFile: string | undefined): Promise<string> {
  if (ownFile === undefined || ownFile === '') return pem;
  return `${pem.trimEnd()}\n${await readFile(ownFile, 'utf8')}`;
}

/** A new directory below `workDirectory`/`name` that nobody else may enter (mode 0700, whatever the umask). Returns its path. */
async function makeSessionDirectory(workDirectory: string, name: string): Promise<string> {
  const root = join(workDirectory, name);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const directory = await mkdtemp(join(root, 'session-'));
  await chmod(directory, 0o700);
  return directory;
}
