import type { Engine, RestoreRequest } from '@lateen/storage-types';
import { restoreRequestOf } from '@lateen/storage-types';
import type { FollowedBackup } from './restore-seen.ts';

/** A backup that the engine is to be asked for. */
export interface WantedBackup {
  readonly backup: string;
  readonly request: RestoreRequest;
}

/** Name of the backup that the volume holds, and nothing else; '' while it holds none, or parts of one. */
export const heldBackup = (engine: Engine | undefined): string => {
  const { requestedBackupRestore = '' } = engine?.spec ?? {};
  const last = engine?.status?.lastRestoredBackup ?? '';
  return requestedBackupRestore === '' || requestedBackupRestore === last ? last : '';
};

/**
 * The backup to go on to; undefined while the one that was asked for stays. One that was begun is ended first: what the volume holds is not known before. Where it
 * cannot be, since it is no longer there, the next one has every byte written.
 */
export function nextBackup(
  engine: Engine,
  backups: readonly FollowedBackup[],
  first: string,
): WantedBackup | undefined {
  const hasFailed = Object.values(engine.status?.restoreStatus ?? {}).some(({ error = '' }) => error !== '');
  const requested = engine.spec.requestedBackupRestore ?? '';
  const held = heldBackup(engine);
  const newest = newestOf(backups);
  const takenAt = (name: string) => backups.find((each) => each.name === name)?.takenAt;
  if (requested === '' && held === '') {
    const backup = newest?.name ?? first;
    return { backup, request: { held: 'anything', takenAt: takenAt(backup) ?? '' } };
  }
  if (newest === undefined || newest.name === requested || newest.name === held) return undefined;
  if (held === '') {
    const stays = !hasFailed || takenAt(requested) !== undefined;
    return stays ? undefined : { backup: newest.name, request: { held: 'anything', takenAt: newest.takenAt } };
  }
  // Never back: what was deleted on the target leaves an older one as the newest.
  const since = takenAt(held) ?? restoreRequestOf(engine).takenAt;
  if (Date.parse(newest.takenAt) <= Date.parse(since)) return undefined;
  return { backup: newest.name, request: { held: { backup: held }, takenAt: newest.takenAt } };
}

/** Of equal times the last by name. */
function newestOf(backups: readonly FollowedBackup[]): FollowedBackup | undefined {
  const at = ({ takenAt }: FollowedBackup) => Date.parse(takenAt) || 0;
  return [...backups].sort((a, b) => at(b) - at(a) || (a.name < b.name ? 1 : -1))[0];
}
