import type { BackupStorageLocation } from '@lateen/api-types';
import type { EventSubject } from '@lateen/kube-runtime';

/** Records an Event about an object; returns at once (`EventRecorder.record`). */
export type Tell = (subject: EventSubject, reason: string, message: string, type: 'Normal' | 'Warning') => void;

/** Reasons of Events on BackupStorageLocations. */
export const locationReasons = {
  available: 'Available',
  unavailable: 'Unavailable',
  frequencyInvalid: 'ValidationFrequencyInvalid',
  defaultSet: 'DefaultSet',
  defaultUnset: 'DefaultUnset',
} as const;

/** What can be read at any time. */
export interface LocationReadings {
  locations: readonly BackupStorageLocation[];
  /** Locations that did not answer soon enough to be validated among the others. */
  slow: number;
  /** Attempts to reach a location that have not ended, given up or not. */
  attempts: number;
  /** The number of Secrets in use, and of checks of Secrets so far. */
  secrets: number;
  secretLooks: number;
}

/** Told what the controller of locations does; for metrics. Must not throw. */
export interface LocationObserver {
  /** Called once: how to read what is true now. */
  readings(read: () => LocationReadings): void;
  validated(validation: { location: string; available: boolean; ms: number }): void;
  removed(location: string): void;
}
