import { AppError, quoted } from '@lateen/errors';
import type { Random } from '@lateen/kernel';

/** What the format lets a volume or a backup be called. */
const namePattern = /^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/;

/** Volumes that a cluster lists; locks of backing images lie beside them in upper case. */
const listedVolumePattern = /^[a-z0-9][a-z0-9_.-]+$/;

export type Named = 'volume' | 'backup' | 'snapshot';

/** @throws BLOCK_STORE_NAME for a name that could lead elsewhere on the store, or that other readers refuse */
export function checkStoreName(what: Named, name: string): void {
  if (namePattern.test(name)) return;
  throw new AppError('BLOCK_STORE_NAME', `${quoted(name)} is no name of a ${what} in a backup store`, {
    nextStep: 'Use letters, digits, "_", "." and "-", at least two, and begin with a letter or a digit.',
  });
}

export const isStoreName = (name: string): boolean => namePattern.test(name);
export const isListedVolume = (name: string): boolean => listedVolumePattern.test(name);

/** A name that nobody has: `backup-` and 16 hexadecimal digits. */
export const newBackupName = (random: Random): string => `backup-${sixteenHex(random)}`;

/** A name that nobody has: `lock-` and 16 hexadecimal digits. */
export const newLockName = (random: Random): string => `lock-${sixteenHex(random)}`;

/** The last 16 of 32: of a version 4 UUID the others hold the version. */
const sixteenHex = (random: Random): string => random.uuid().replaceAll('-', '').slice(-16);
