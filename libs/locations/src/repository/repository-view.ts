import type { BackupStorageLocation } from '@lateen/api-types';
import { placeFingerprint, specFingerprint } from '../fingerprint.ts';
import { isGone, isNew, type RepositoryView } from './decide-repository.ts';
import type { RepositoryPorts, RepositorySubject } from './repository-ports.ts';

/** Looks into the bucket for a Ready repository, at its regular look only; and for the configuration of a new one. */
export async function viewOf(
  ports: RepositoryPorts,
  subject: RepositorySubject,
  signal: AbortSignal,
): Promise<RepositoryView> {
  const { repository, location, memory } = subject;
  const phase = repository.status?.phase;
  const { tried } = memory;
  const isCurrent = tried !== undefined && tried.of === dependsOn(location);
  const config = isNew(phase) ? await ports.repositoryConfig(repository.spec.repositoryType ?? '', signal) : undefined;
  const looksInside = (phase === 'Ready' && memory.looked === true) || isGone(repository);
  const sinceMs = memory.openedAtMs ?? Number.NEGATIVE_INFINITY;
  const place = location && placeFingerprint(location);
  return {
    repository,
    location,
    place,
    opened: memory.opened,
    tried: isCurrent ? { ms: ports.clock.monotonicMs() - tried.atMs, pauseMs: tried.pauseMs } : undefined,
    defaults: { maintenanceFrequency: ports.maintenanceFrequency, repositoryConfig: config },
    presence:
      looksInside && location?.status?.phase === 'Available'
        ? await ports.look(repository, location, { sinceMs, signal })
        : 'unknown',
    moved: memory.gone !== undefined && memory.gone !== place,
    unproven: memory.unproven === true,
  };
}

/** What a try depends on beside Secrets: when any of it changes, the next try is due at once. */
export const dependsOn = (location: BackupStorageLocation | undefined): string =>
  location === undefined ? 'none' : `${specFingerprint(location)} ${location.status?.phase}`;
