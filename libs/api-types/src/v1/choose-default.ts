import type { BackupStorageLocation } from './backup-storage-location.ts';

/**
 * The one of several default locations that keeps the mark: the newest, and of those made in the same second the first by
 * name (api.md section 5). Controller and command line both go by it, so that they never pull in different directions. Pure.
 */
export function chooseDefault(defaults: readonly BackupStorageLocation[]): BackupStorageLocation | undefined {
  return defaults.toSorted((a, b) => createdMs(b) - createdMs(a) || compare(nameOf(a), nameOf(b)))[0];
}

const nameOf = ({ metadata }: BackupStorageLocation): string => metadata.name ?? '';
const createdMs = ({ metadata }: BackupStorageLocation): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
