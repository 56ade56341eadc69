import { parseBackupUrl, parseTargetUrl } from '@lateen/block-store';
import { describeError } from '@lateen/errors';
import { type BackupTarget, defaultBackupTarget, type Volume } from '@lateen/storage-types';
import type { BackupSource } from '@lateen/volume-decisions';
import type { RoomContext } from '../frame/room-context.ts';

/** The backup in `spec.fromBackup` of a volume, and the target that has it: the volume's own if it has the URL, else the first by name. */
export function backupSourceOf({ caches }: Pick<RoomContext, 'caches'>, { spec }: Volume): FoundSource {
  try {
    const { target: url, volume, backup } = parseBackupUrl(spec.fromBackup ?? '');
    if (backup === undefined) return { problem: `${spec.fromBackup} names no backup` };
    const own = spec.backupTargetName || defaultBackupTarget;
    const first = ({ metadata }: BackupTarget) => (metadata.name === own ? '' : (metadata.name ?? ''));
    const target = caches.backupTargets
      .list()
      .filter((each) => placeOf(each.spec.backupTargetURL ?? '') === placeOf(url))
      .sort((a, b) => (first(a) < first(b) ? -1 : 1))[0];
    if (target === undefined) return { volume, backup, isAvailable: false };
    const { name = '' } = target.metadata;
    return { volume, backup, target: name, isAvailable: target.status?.available === true, object: target };
  } catch (error) {
    return { problem: describeError(error) };
  }
}

type FoundSource = (BackupSource & { readonly object?: BackupTarget }) | { readonly problem: string };

/** The same text for URLs of the same place: a trailing slash is ignored. */
function placeOf(url: string): string {
  try {
    return JSON.stringify(parseTargetUrl(url));
  } catch {
    // A URL of an unsupported kind is compared as text.
    return url;
  }
}
