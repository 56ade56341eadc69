import { decideVolume, offlineWork, pendingContent } from '@lateen/volume-decisions';
import type { VolumeSight } from './volume-sight.ts';

/** Names for objects that the decision would create; nothing is created here. */
const uuids = Array.from({ length: 20 }, (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`);

/**
 * What the manager of a volume waits for, in its own words: the same decision is made from the same objects. Only the manager knows how long
 * a start has been running; here it counts as just begun. Undefined when the manager waits for nothing.
 */
export function managerWaitsFor({ attachment, ...sight }: VolumeSight, nowMs: number): string | undefined {
  const { volume, engine, replicas, snapshots, surroundings } = sight;
  // Backups are not read here: the manager's condition says what a restore waits for.
  if (pendingContent(volume)?.name === 'backup')
    return volume.status?.conditions?.find(({ type }) => type === 'Restore')?.message || undefined;
  const { cluster, settings, rebuildsOn } = surroundings;
  const down = [...cluster.nodes.values()].filter(({ ready }) => !ready).map(({ name }) => name);
  const seen = {
    volume,
    ...(engine === undefined ? {} : { engine }),
    replicas,
    snapshots,
    hasAttachment: attachment !== undefined,
    cluster,
    downNodes: new Set(down),
    settings,
    rebuildsOn,
    start: { sinceGenerationMs: 0 },
    uuids,
  };
  return decideVolume(seen, nowMs).waitsFor ?? waitsDetached(seen, nowMs);
}

/** What a detached volume waits for. */
function waitsDetached(seen: Parameters<typeof offlineWork>[0], nowMs: number): string | undefined {
  if (seen.volume.status?.state !== 'detached') return undefined;
  const work = offlineWork(seen, nowMs);
  return work !== undefined && 'waitsFor' in work ? work.waitsFor : undefined;
}
