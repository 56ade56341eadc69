import type { BackupStorageLocation } from '@lateen/api-types';
import type { FormatLook } from '@lateen/repository';
import { placeFingerprint, specFingerprint } from '@lateen/storage-location';
import { isGone, isNew, type RepositoryView } from './decide-repository.ts';
import type { RepositoryMemory } from './repository-memory.ts';
import type { RepositoryPorts, RepositorySubject } from './repository-ports.ts';
import type { Presence } from './repository-presence.ts';

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
  const presence: Presence =
    looksInside && location?.status?.phase === 'Available'
      ? await ports.look(repository, location, { sinceMs, signal })
      : { found: 'unknown' };
  if (presence.format !== undefined) remember(memory, presence.format);
  return {
    repository,
    location,
    place,
    opened: memory.opened,
    tried: isCurrent ? { ms: ports.clock.monotonicMs() - tried.atMs, pauseMs: tried.pauseMs } : undefined,
    defaults: { maintenanceFrequency: ports.maintenanceFrequency, repositoryConfig: config },
    presence: presence.found,
    suspect: memory.suspect === true,
    moved: memory.gone !== undefined && memory.gone !== place,
    unproven: memory.unproven === true,
  };
}

/** What has been read once and could be what it should be is taken for sound: it is proved when it changes. */
function remember(memory: RepositoryMemory, { fingerprint, isReadable }: FormatLook): void {
  memory.formatSeen = fingerprint;
  if (isReadable) memory.format ??= fingerprint;
  memory.suspect = fingerprint !== memory.format;
}

/** What a try depends on beside Secrets: when any of it changes, the next try is due at once. */
export const dependsOn = (location: BackupStorageLocation | undefined): string =>
  location === undefined ? 'none' : `${specFingerprint(location)} ${location.status?.phase}`;
