import type { BackupRepository, BackupRepositoryStatus, BackupStorageLocation } from '@lateen/api-types';
import { parseDurationMs } from '@lateen/kernel';
import { type RepositoryType, repositoryTypes } from '@lateen/repository';
import type { Presence } from './repository-presence.ts';

/** BackupRepository.spec.maintenanceFrequency of a repository whose creator left it to us (api.md section 7). */
export const maintenanceFrequencyDefault = '1h0m0s';

/** Written when what a Ready repository was opened with is not what its location says now (api.md section 7). */
export const locationChangedMessage = 're-establish on BSL change, create or delete';

/**
 * Written when nothing is left in the bucket of a repository that was Ready. No new one is made by itself: the bucket may be
 * another by mistake, or a directory not mounted, and backups into it would be lost.
 */
export const goneMessage =
  'the bucket no longer contains the repository. It is used again when its objects are back; to create a new one, delete this BackupRepository';

export interface RepositoryView {
  repository: BackupRepository;
  /** Undefined: there is none. */
  location: BackupStorageLocation | undefined;
  /** `placeFingerprint` of the location as it is now; undefined when there is no such location. */
  place: string | undefined;
  /** The same when this process last opened the repository or found it Ready; undefined when it never did. */
  opened: string | undefined;
  /**
   * Tries of this process have failed since something changed: how long the last is ago, and how long after it the next is
   * due; undefined: there was none.
   */
  tried: { ms: number; pauseMs: number } | undefined;
  /** What the server says for repositories whose creator says nothing. */
  defaults: RepositoryDefaults;
  /** What a look into the bucket found. */
  presence: Presence['found'];
  /** The object that opens it is not the one that it opened with, or cannot be what it should be. */
  suspect: boolean;
  /** It was gone, but its location points somewhere else since. */
  moved: boolean;
  /** The password Secret is another than the one that it was opened with. */
  unproven: boolean;
}

export interface RepositoryDefaults {
  maintenanceFrequency: string;
  /** Of the backup repository ConfigMap; only for a repository that was never initialised. */
  repositoryConfig?: Readonly<Record<string, string>> | undefined;
}

export type RepositoryStep =
  /** Of a type that no engine of ours knows. */
  | { kind: 'ignore' }
  /** Ready and unchanged. */
  | { kind: 'rest' }
  /** Fill in what the creator left out. */
  | { kind: 'complete'; spec: Partial<BackupRepository['spec']> }
  /** It was Ready, but is not what it was any more. */
  | { kind: 'invalidate'; message: string }
  /** It cannot be opened, and a try would only cost time: the location's own check says why. */
  | { kind: 'blocked'; message: string }
  | { kind: 'open' }
  | { kind: 'wait'; afterMs: number };

/** The next step for one BackupRepository (api.md section 7, "Flow"); pure. */
export function decideRepository(view: RepositoryView): RepositoryStep {
  const { repository, location, place, opened } = view;
  const { status } = repository;
  if (engineOf(repository) === undefined) return { kind: 'ignore' };
  const spec = missingSpec(view);
  if (spec !== undefined) return { kind: 'complete', spec };
  if (status?.phase === 'Ready') {
    if (place === undefined || (opened !== undefined && opened !== place)) {
      return { kind: 'invalidate', message: locationChangedMessage };
    }
    if (view.presence === 'missing') return { kind: 'invalidate', message: goneMessage };
    // A message is about a failed attempt, possibly of an earlier process.
    return view.unproven || view.suspect || status.message ? openInTime(view) : { kind: 'rest' };
  }
  if (location?.status?.phase === 'Unavailable') {
    const { name } = location.metadata;
    return { kind: 'blocked', message: location.status.message || `BackupStorageLocation "${name}" is unavailable` };
  }
  if (isGone(repository) && view.presence !== 'present' && !view.moved)
    return { kind: 'blocked', message: goneMessage };
  return openInTime(view);
}

function openInTime({ tried }: RepositoryView): RepositoryStep {
  if (tried === undefined || tried.ms >= tried.pauseMs) return { kind: 'open' };
  return { kind: 'wait', afterMs: tried.pauseMs - tried.ms };
}

/** The fields that the creator left to the server. An existing configuration is kept. */
function missingSpec({ repository, defaults }: RepositoryView): Partial<BackupRepository['spec']> | undefined {
  const { spec, status } = repository;
  const frequencyMs = parseDurationMs(spec.maintenanceFrequency ?? '');
  const wantsFrequency = frequencyMs === undefined || frequencyMs <= 0;
  const config = { ...defaults.repositoryConfig };
  const wantsConfig = isNew(status?.phase) && spec.repositoryConfig == null && Object.keys(config).length > 0;
  if (!wantsFrequency && !wantsConfig) return undefined;
  return {
    ...(wantsFrequency ? { maintenanceFrequency: defaults.maintenanceFrequency } : {}),
    ...(wantsConfig ? { repositoryConfig: config } : {}),
  };
}

/** It was found to be gone. */
export const isGone = ({ status }: BackupRepository): boolean =>
  status?.phase === 'NotReady' && status.message === goneMessage;

/** Never initialised: no phase was written yet. */
export const isNew = (phase: string | undefined): boolean => phase === undefined || phase === '' || phase === 'New';

/** The engine of a repository; undefined for a type that none of ours knows, and for objects older than the field. */
export function engineOf({ spec }: BackupRepository): RepositoryType | undefined {
  return repositoryTypes.find((type) => type === spec.repositoryType);
}

/**
 * What a try leaves in the status. `lastMaintenanceTime` starts the maintenance clock of a repository that has none, and is
 * left alone where there is one: maintenance may have written a newer one meanwhile.
 */
export function openedStatus(previous: BackupRepositoryStatus | undefined, now: string): BackupRepositoryStatus {
  const isFirst = previous?.lastMaintenanceTime === undefined || previous.lastMaintenanceTime === null;
  return { phase: 'Ready', message: '', ...(isFirst ? { lastMaintenanceTime: now } : {}) };
}
