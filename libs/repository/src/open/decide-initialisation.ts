import { AppError } from '@lateen/errors';
import { formatBlobName } from '../conventions/repository-names.ts';
import { restoreObject } from './restore-object.ts';

/** What the bucket holds under a repository's prefix. */
export interface RepositoryFacts {
  /** kopia's unique ID (base64, as its format blob writes it); undefined when there is no format blob. */
  uniqueID: string | undefined;
  /** The unique ID in the marker blob; undefined when there is no marker. */
  markerID: string | undefined;
  /** Whether there is any other blob under the prefix, apart from `halfMade`. */
  otherBlobs: boolean;
  /** All blobs are left from a creation that was interrupted before the format blob. */
  halfMade: boolean;
  readOnly: boolean;
}

export type Initialisation =
  /** Nothing of value exists: create a repository, then mark it. `clear` removes an incomplete one first. */
  | { kind: 'create'; clear: boolean }
  /** A repository of a program that writes no marker (kopia itself, Velero before 1.18): adopt it. */
  | { kind: 'adopt'; uniqueID: string }
  /** Already initialised: check that it opens. */
  | { kind: 'open' };

/**
 * Decides the step that makes a repository usable (data-movement.md section 9, rows "Extra blob" and "Create guard").
 * @throws REPOSITORY_LOCATION_NOT_EMPTY, REPOSITORY_NOT_FOUND (read-only location), REPOSITORY_CORRUPTED
 */
export function decideInitialisation(facts: RepositoryFacts, where: string): Initialisation {
  const { uniqueID, markerID } = facts;
  if (uniqueID === undefined) {
    if (markerID !== undefined) {
      throw new AppError(
        'REPOSITORY_CORRUPTED',
        `the repository at ${where} is damaged: its object ${formatBlobName} is missing`,
        { retry: 'later', nextStep: restoreObject },
      );
    }
    if (facts.otherBlobs) {
      throw new AppError('REPOSITORY_LOCATION_NOT_EMPTY', `found existing data in storage location ${where}`, {
        retry: 'later',
        nextStep:
          'If a repository has lost its object kopia.repository (restic: config) there, restore that from a copy; else remove what ' +
          'is there, or use another prefix in the BackupStorageLocation.',
      });
    }
    if (facts.readOnly) {
      throw new AppError('REPOSITORY_NOT_FOUND', `there is no repository at ${where} and the location is read-only`, {
        retry: 'later',
        nextStep: 'Set spec.accessMode of the BackupStorageLocation to ReadWrite to have one made.',
      });
    }
    return { kind: 'create', clear: facts.halfMade };
  }
  if (markerID === undefined) return facts.readOnly ? { kind: 'open' } : { kind: 'adopt', uniqueID };
  if (markerID !== uniqueID) {
    throw new AppError(
      'REPOSITORY_CORRUPTED',
      `the repository at ${where} is corrupted: its marker blob belongs to another repository`,
      {
        retry: 'later',
        nextStep: 'Blobs of two repositories were mixed under one prefix; restore the prefix from a copy.',
      },
    );
  }
  return { kind: 'open' };
}
