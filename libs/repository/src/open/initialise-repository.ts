import { AppError } from '@lateen/errors';
import type { ObjectStore } from '@lateen/object-store';
import { blobNaming } from '../conventions/blob-naming.ts';
import { clientIdentity, ownerText, repositoryPrefix } from '../conventions/repository-names.ts';
import { repositorySplitter } from '../conventions/splitter.ts';
import { kopiaToken } from '../engine/kopia-config.ts';
import { type KopiaSession, openKopiaSession, type SessionOptions } from '../engine/kopia-session.ts';
import { mustRun } from '../engine/must-run.ts';
import type { RepositoryTarget } from '../engine/repository-target.ts';
import { decideInitialisation } from './decide-initialisation.ts';
import { makeRepositoryDirectory } from './repository-directory.ts';
import { gatherRepositoryFacts, removeHalfMade, writeMarker } from './repository-facts.ts';
import { applyOwnerPolicy, ensureMaintenanceOwner } from './repository-settings.ts';

export interface InitialiseOptions {
  store: ObjectStore;
  session: SessionOptions;
  signal: AbortSignal;
}

/** What {@link initialiseRepository} found or did. */
export type InitialiseOutcome = 'created' | 'adopted' | 'opened';

/**
 * Makes sure that a repository exists, is marked, has our maintenance parameters and opens with the password. Idempotent: after
 * an interruption anywhere after kopia wrote its format blob, the next run completes the initialisation. Read-only locations are
 * only opened. @throws REPOSITORY_…, OBJECT_STORE_…, BUCKET_NOT_FOUND, ENGINE_…
 */
export async function initialiseRepository(
  target: RepositoryTarget,
  options: InitialiseOptions,
): Promise<InitialiseOutcome> {
  const { store, signal } = options;
  const prefix = repositoryPrefix(target.location.prefix, target.volumeNamespace);
  const names = blobNaming(target.location, prefix);
  const session = await openKopiaSession(target, options.session);
  try {
    const facts = await gatherRepositoryFacts(store, names, target.location.readOnly, { signal });
    const plan = decideInitialisation(facts, session.where);
    // A repository that kopia creates has kopia's default maintenance parameters, which are ours, and its creator as owner.
    if (plan.kind === 'create') {
      if (plan.clear) await removeHalfMade(store, names, { signal });
      if (target.location.provider === 'fs') await makeRepositoryDirectory(target.location, prefix);
      await create(session, signal);
    } else {
      await ensureMaintenanceOwner(session, { readOnly: target.location.readOnly, signal });
    }
    if (plan.kind === 'open') return 'opened';
    await applyOwnerPolicy(session, signal);
    const { uniqueID } = await gatherRepositoryFacts(store, names, false, { signal });
    if (uniqueID === undefined)
      throw new AppError('REPOSITORY_NOT_FOUND', `${session.where}: kopia left no format blob`);
    // The marker is written last, because it means that everything before it is done.
    await writeMarker(store, names, uniqueID, { signal });
    return plan.kind === 'create' ? 'created' : 'adopted';
  } finally {
    await session.close();
  }
}

/** kopia's defaults are the formats of data-movement.md section 9 (version 3, BLAKE2B-256-128, AES256-GCM-HMAC-SHA256). */
async function create(session: KopiaSession, signal: AbortSignal): Promise<void> {
  const args = [
    'repository',
    'create',
    'from-config',
    '--token-stdin',
    '--block-hash=BLAKE2B-256-128',
    '--encryption=AES256-GCM-HMAC-SHA256',
    `--object-splitter=${repositorySplitter}`,
    '--no-check-for-updates',
    `--override-username=${clientIdentity.username}`,
    `--override-hostname=${clientIdentity.hostname}`,
  ];
  const stdin = kopiaToken(session.storage);
  await mustRun(session, `creating the repository of ${ownerText}`, args, { stdin, signal });
}
