import { AppError, quoted } from '@lateen/errors';
import type { Random } from '@lateen/kernel';

/** The names that the format allows for a volume or a backup. */
const namePattern = /^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/;

/** Volumes that a cluster lists; locks of backing images lie beside them in upper case. */
const listedVolumePattern = /^[a-z0-9][a-z0-9_.-]+$/;

export type Named = 'volume' | 'backup' | 'snapshot';

/** @throws BLOCK_STORE_NAME for a name that could lead out of its folder, or that other readers refuse */
export function checkStoreName(what: Named, name: string): void {
  if (namePattern.test(name)) return;
  throw new AppError('BLOCK_STORE_NAME', `${quoted(name)} is not the name of a ${what} in a backup store`, {
    nextStep: 'Use letters, digits, "_", "." and "-", at least two, and begin with a letter or a digit.',
  });
}

export const isStoreName = (name: string): boolean => namePattern.test(name);
export const isListedVolume = (name: string): boolean => listedVolumePattern.test(name);

/** A unique name: `backup-` and 16 hexadecimal digits. */
export const newBackupName = (random: Random): string => `backup-${sixteenHex(random)}`;

/** A unique name: `lock-` and 16 hexadecimal digits. */
export const newLockName = (random: Random): string => `lock-${sixteenHex(random)}`;

/** The last 16 of 32: in a version 4 UUID the other digits contain the version. */
const sixteenHex = (random: Random): string => random.uuid().replaceAll('-', '').slice(-16);
