import {
  type Backup,
  type BackupStorageLocation,
  type DeleteBackupRequest,
  labelValues,
  type Restore,
} from '@lateen/api-types';
import { isRunning, neverStored, restoreInHand } from '../use/backup-use.ts';
import { isKept, type KeepAtLeast } from './keep-at-least.ts';

export interface ExpiryView {
  backup: Backup;
  /** The one that it is in. */
  location: BackupStorageLocation | undefined;
  /** Of this backup. */
  requests: readonly DeleteBackupRequest[];
  restores: readonly Restore[];
  keep: KeepAtLeast;
  /** All of its schedule, itself among them; empty for one of no schedule. */
  siblings: readonly Backup[];
  nowMs: number;
}

/** Why an expired backup stays for now. */
export type StayReason = 'asked' | 'running' | 'restored' | 'kept' | 'location';

export type ExpiryStep =
  /** It never expires, or is on its way out. */
  | { kind: 'rest'; on: string }
  | { kind: 'wait'; afterMs: number }
  /** `failure` is the value of the label that says so; absent where it is not the location's fault. */
  | { kind: 'stay'; why: StayReason; detail: string; failure?: string }
  | { kind: 'delete' };

/** What is to be done about a Backup by its age (object-store-layout.md section 10); pure. */
export function decideExpiry(view: ExpiryView): ExpiryStep {
  const { backup, requests, nowMs } = view;
  const expiresMs = Date.parse(backup.status?.expiration ?? '');
  if (backup.metadata.deletionTimestamp !== undefined) return { kind: 'rest', on: 'its being gone' };
  if (Number.isNaN(expiresMs)) return { kind: 'rest', on: 'a time at which it expires' };
  if (expiresMs >= nowMs) return { kind: 'wait', afterMs: expiresMs - nowMs + 1 };
  // It may fail, and is then asked for again.
  if (requests.some(isPending)) return { kind: 'stay', why: 'asked', detail: 'its deletion has been asked for' };
  return stays(view) ?? { kind: 'delete' };
}

export const isPending = ({ status, metadata }: DeleteBackupRequest): boolean =>
  status?.phase !== 'Processed' && metadata.deletionTimestamp === undefined;

function stays({ backup, location, restores, keep, siblings }: ExpiryView): ExpiryStep | undefined {
  if (isRunning(backup)) return { kind: 'stay', why: 'running', detail: `it is ${backup.status?.phase}` };
  const restore = restoreInHand(backup, restores);
  if (restore !== undefined)
    return { kind: 'stay', why: 'restored', detail: `Restore ${restore.metadata.name} reads it` };
  if (isKept(backup, keep, siblings))
    return { kind: 'stay', why: 'kept', detail: 'it is one of the last good backups of its schedule' };
  if (neverStored(backup)) return undefined;
  const failure = locationFailure(location);
  if (failure === undefined) return undefined;
  const detail = `its location "${backup.spec.storageLocation ?? ''}" ${words[failure] ?? ''}`;
  return { kind: 'stay', why: 'location', detail, failure };
}

const words: Readonly<Record<string, string>> = {
  [labelValues.gcLocationNotFound]: 'does not exist',
  [labelValues.gcLocationReadOnly]: 'is read-only',
  [labelValues.gcLocationUnavailable]: 'is not available',
};

function locationFailure(location: BackupStorageLocation | undefined): string | undefined {
  if (location === undefined) return labelValues.gcLocationNotFound;
  if (location.spec.accessMode === 'ReadOnly') return labelValues.gcLocationReadOnly;
  return location.status?.phase === 'Available' ? undefined : labelValues.gcLocationUnavailable;
}
