import { AppError } from '@lateen/errors';

/** What may stand at the first level under a location's prefix (object-store-layout.md section 1). */
const allowed: ReadonlySet<string> = new Set(['backups', 'restores', 'restic', 'metadata', 'plugins', 'kopia']);

/** Names listed in the message before it says only how many there are. */
const namedMax = 3;

/** A name may be as long as a key, and what answers in a store's place may call anything a name. */
const nameCharsMax = 100;

const shown = (name: string): string => (name.length > nameCharsMax ? `${name.slice(0, nameCharsMax)}…` : name);

/** @throws LOCATION_NOT_OURS when it contains something other than backups: the bucket may be in use for other data */
export function checkTopLevelDirectories(directories: readonly string[]): void {
  const invalid = directories.filter((directory) => !allowed.has(directory)).sort();
  if (invalid.length === 0) return;
  const names = invalid.slice(0, namedMax).map(shown).join(' ');
  const message =
    invalid.length > namedMax
      ? `Backup store contains ${invalid.length} invalid top-level directories: [${names} ...]`
      : `Backup store contains invalid top-level directories: [${names}]`;
  throw new AppError('LOCATION_NOT_OURS', message, {
    retry: 'later',
    nextStep: 'Use a bucket or prefix of its own for backups.',
  });
}
