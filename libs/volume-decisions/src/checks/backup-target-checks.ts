import { defaultBackupTarget } from '@lateen/storage-types';
import type { Refusal } from './check.ts';

/** The shortest time between two polls of a target on request. */
export const backupTargetSyncMs = 10_000;

export const checkBackupTargetDeletion = (name: string): Refusal =>
  name === defaultBackupTarget ? 'deleting default backup target is not allowed' : undefined;

export interface BackupTargetUpdateSeen {
  readonly name: string;
  readonly urlBefore: string;
  readonly urlAfter: string;
  /** Addresses of all targets, by name. */
  readonly urls: Readonly<Record<string, string>>;
  /** Names of standby volumes that follow a backup in it. */
  readonly standbyVolumes: readonly string[];
}

/** Checks a new address: no other target may have it, and no standby volume may follow a backup at the old one. */
export function checkBackupTargetUpdate(seen: BackupTargetUpdateSeen): Refusal {
  const { name, urlBefore, urlAfter, urls, standbyVolumes } = seen;
  if (urlBefore === urlAfter) return undefined;
  if (standbyVolumes.length > 0) {
    const names = [...standbyVolumes].sort().join(', ');
    return `cannot modify BackupTarget since there are existing standby volumes: ${names}`;
  }
  const same = Object.keys(urls)
    .sort()
    .find((other) => other !== name && urlAfter !== '' && urls[other] === urlAfter);
  return same === undefined ? undefined : `url ${urlAfter} is the same to backup target ${same}`;
}

export const checkBackupTargetSync = (name: string, lastRequestedAtMs: number | undefined, nowMs: number): Refusal =>
  lastRequestedAtMs !== undefined && nowMs - lastRequestedAtMs < backupTargetSyncMs
    ? `cannot synchronize backup target '${name}' in ${backupTargetSyncMs / 1000} seconds`
    : undefined;

export const checkBackupTargetAvailable = (name: string, available: boolean): Refusal =>
  available ? undefined : `backup target ${name} is not available`;

/** Why a poll of a target failed, in the words that clients search for: before its first request (`open`), or while listing its volumes (`list`). */
export const lookProblem = (url: string, at: 'open' | 'list', why: string): string =>
  at === 'open'
    ? `failed to init backup target clients: ${why}`
    : `failed to list backup volumes in ${url}: error listing backup volume names: ${why}`;
