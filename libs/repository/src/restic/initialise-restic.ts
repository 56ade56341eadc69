import type { ObjectStore } from '@lateen/object-store';
import { mustRun } from '../engine/must-run.ts';
import type { RepositoryTarget } from '../engine/repository-target.ts';
import { decideInitialisation } from '../open/decide-initialisation.ts';
import type { InitialiseOptions } from '../open/initialise-repository.ts';
import { makeRepositoryDirectory } from '../open/repository-directory.ts';
import { resticPlace } from './restic-place.ts';
import { openResticSession } from './restic-session.ts';

/** What {@link initialiseResticRepository} found or did, and the identifier of the repository. */
export interface ResticInitialisation {
  outcome: 'created' | 'opened';
  /** For BackupRepository.spec.resticIdentifier. */
  identifier: string;
}

/** Each interrupted creation leaves one key file; more than this has another cause. */
const strayKeysMax = 16;

/**
 * Makes sure that a restic repository exists and opens with the password. Idempotent: the next creation removes what an
 * interrupted one has left. Read-only locations are only opened. The store has to be that of {@link resticPlace}. @throws
 * REPOSITORY_…, OBJECT_STORE_…, BUCKET_NOT_FOUND, ENGINE_…
 */
export async function initialiseResticRepository(
  target: RepositoryTarget,
  options: InitialiseOptions,
): Promise<ResticInitialisation> {
  const { store, signal } = options;
  const { prefix, identifier, location } = resticPlace(target.location, target.volumeNamespace);
  const session = await openResticSession(target, options.session);
  try {
    const found = await gather(store, prefix, signal);
    // A restic repository has no marker; its config serves as one.
    const plan = decideInitialisation(
      { ...found, markerID: found.uniqueID, readOnly: session.readOnly },
      session.where,
    );
    if (plan.kind === 'create') {
      for (const key of found.strayKeys) await store.delete(key, { signal });
      if (location.provider === 'fs') await makeRepositoryDirectory(location, prefix);
      await mustRun(session, 'creating the repository', ['init'], { signal });
      return { outcome: 'created', identifier };
    }
    // Reads the key and decrypts the config, which checks the password. Reading needs no lock.
    await mustRun(session, 'opening the repository', ['cat', 'config', '--no-lock'], { signal });
    return { outcome: 'opened', identifier };
  } finally {
    await session.close();
  }
}

/**
 * restic writes a key file first and the config last. Keys without a config are removed before the next creation, because restic
 * opens with any key that accepts the password, and the old key does not decrypt the new config.
 */
async function gather(store: ObjectStore, prefix: string, signal: AbortSignal) {
  if (await store.exists(`${prefix}config`, { signal })) {
    return { uniqueID: 'config', strayKeys: [], otherBlobs: true, halfMade: false };
  }
  const strayKeys: string[] = [];
  for await (const { key } of store.list(prefix, { signal })) {
    if (!key.startsWith(`${prefix}keys/`) || strayKeys.length === strayKeysMax) {
      return { uniqueID: undefined, strayKeys: [], otherBlobs: true, halfMade: false };
    }
    strayKeys.push(key);
  }
  return { uniqueID: undefined, strayKeys, otherBlobs: false, halfMade: strayKeys.length > 0 };
}
