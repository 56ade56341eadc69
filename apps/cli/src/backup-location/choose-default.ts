import type { BackupStorageLocation } from '@lateen/api-types';

/**
 * The one of several default locations that keeps the mark: the newest, and of those the first by name. The server's rule
 * (api.md section 5), so that commands and controller never pull in different directions; pure.
 */
export function chooseDefault(defaults: readonly BackupStorageLocation[]): BackupStorageLocation | undefined {
  return defaults.toSorted((a, b) => createdMs(b) - createdMs(a) || compare(nameOf(a), nameOf(b)))[0];
}

const nameOf = ({ metadata }: BackupStorageLocation): string => metadata.name ?? '';
const createdMs = ({ metadata }: BackupStorageLocation): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
