import { AppError } from '@lateen/errors';
import { checkKopia } from './check-kopia.ts';
import { checkRestic } from './check-restic.ts';
import type { CheckOptions, RepositoryCheck } from './repository-operation.ts';
import type { RepositorySession } from './repository-session.ts';

/**
 * Looks for damage in a repository and changes nothing: checks that the data of every snapshot exists and, with `readDataPercent`
 * above 0, that this share of the stored data, chosen at random, equals what was written. Damage is a result, not an error. The
 * session must be new: kopia does not read again what it has in its cache. kopia may be checked while backups run; restic takes a
 * lock that blocks them meanwhile.
 * @throws CHECK_PERCENT_INVALID, REPOSITORY_…, OBJECT_STORE_…, ENGINE_…; the signal's reason on abort
 */
export async function checkRepository(session: RepositorySession, options: CheckOptions): Promise<RepositoryCheck> {
  const { readDataPercent } = options;
  if (!(readDataPercent >= 0 && readDataPercent <= 100)) {
    throw new AppError('CHECK_PERCENT_INVALID', `${readDataPercent} is not a percentage of the data`, {
      nextStep: 'Give a number from 0, which reads the structure only, to 100.',
    });
  }
  return session.engine === 'kopia' ? checkKopia(session, options) : checkRestic(session, options);
}
