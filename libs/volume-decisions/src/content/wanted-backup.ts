import type { Engine, RestoreRequest } from '@lateen/storage-types';
import { restoreRequestOf } from '@lateen/storage-types';
import type { FollowedBackup } from './restore-seen.ts';

/** A backup that the engine has to restore. */
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
 * The backup to restore next; undefined while the requested one stays. A restore that was begun is completed first, because the volume's content is
 * unknown before. If it cannot be completed because its backup is gone, the next one writes every byte.
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
  // Never an older one: after a deletion on the target, the newest backup may be older than the held one.
  const since = takenAt(held) ?? restoreRequestOf(engine).takenAt;
  if (Date.parse(newest.takenAt) <= Date.parse(since)) return undefined;
  return { backup: newest.name, request: { held: { backup: held }, takenAt: newest.takenAt } };
}

/** Of equal times the last by name. */
function newestOf(backups: readonly FollowedBackup[]): FollowedBackup | undefined {
  const at = ({ takenAt }: FollowedBackup) => Date.parse(takenAt) || 0;
  return [...backups].sort((a, b) => at(b) - at(a) || (a.name < b.name ? 1 : -1))[0];
}
