import type { BackupRepository, BackupRepositoryStatus } from '@lateen/api-types';
import { type RepositoryType, repositoryTypes } from '@lateen/repository';

/** BackupRepository.spec.maintenanceFrequency of a repository whose creator left it to us (api.md section 7). */
export const maintenanceFrequencyDefault = '1h0m0s';

/** Written when what a Ready repository was opened with is not what its location says now (api.md section 7). */
export const locationChangedMessage = 're-establish on BSL change, create or delete';

/** A repository that is not ready is tried again this often without any change: whatever is wrong may mend by itself. */
export const notReadyAgainMs = 30_000;

export interface RepositoryView {
  repository: BackupRepository;
  /** `placeFingerprint` of the location as it is now; undefined when there is no such location. */
  place: string | undefined;
  /** The same when this process last opened the repository or found it Ready; undefined when it never did. */
  opened: string | undefined;
  /** Since the last try of this process, in ms; undefined when there was none since something changed. */
  triedMs: number | undefined;
}

export type RepositoryStep =
  /** Of a type that no engine of ours knows. */
  | { kind: 'ignore' }
  /** Ready and unchanged. */
  | { kind: 'rest' }
  /** Fill in what the creator left out. */
  | { kind: 'complete'; maintenanceFrequency: string }
  /** It was Ready, but its location is another now. */
  | { kind: 'invalidate'; message: string }
  | { kind: 'open' }
  | { kind: 'wait'; afterMs: number };

/** The next step for one BackupRepository (api.md section 7, "Flow"); pure. */
export function decideRepository(view: RepositoryView): RepositoryStep {
  const { repository, place, opened, triedMs } = view;
  const { spec, status } = repository;
  if (engineOf(repository) === undefined) return { kind: 'ignore' };
  if (isZero(spec.maintenanceFrequency)) {
    return { kind: 'complete', maintenanceFrequency: maintenanceFrequencyDefault };
  }
  if (status?.phase === 'Ready') {
    const changed = place === undefined || (opened !== undefined && opened !== place);
    return changed ? { kind: 'invalidate', message: locationChangedMessage } : { kind: 'rest' };
  }
  if (triedMs === undefined || triedMs >= notReadyAgainMs) return { kind: 'open' };
  return { kind: 'wait', afterMs: notReadyAgainMs - triedMs };
}

/** The engine of a repository; undefined for a type that none of ours knows, and for objects older than the field. */
export function engineOf({ spec }: BackupRepository): RepositoryType | undefined {
  return repositoryTypes.find((type) => type === spec.repositoryType);
}

const isZero = (duration: string): boolean => /^0[a-z]*(0[a-z]+)*$/i.test(duration) || duration === '';

/** What a try leaves in the status. `lastMaintenanceTime` starts the maintenance clock of a repository that has none. */
export function openedStatus(previous: BackupRepositoryStatus | undefined, now: string): BackupRepositoryStatus {
  return { phase: 'Ready', message: '', lastMaintenanceTime: previous?.lastMaintenanceTime ?? now };
}
