import { decideVolume, offlineWork, pendingContent } from '@lateen/volume-decisions';
import type { VolumeSight } from './volume-sight.ts';

/** Names for what the decision would make; nothing is made here. */
const uuids = Array.from({ length: 20 }, (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`);

/**
 * What the manager of a volume waits for, in its own words: the same decision over the same objects. How long a start takes already is
 * known to the manager alone; it is taken for just begun. Undefined when it waits for nothing.
 */
export function managerWaitsFor({ attachment, ...sight }: VolumeSight, nowMs: number): string | undefined {
  const { volume, engine, replicas, snapshots, surroundings } = sight;
  // Which backups there are is not looked for here: the manager has said what a restore waits for in its condition.
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

/** Of a volume that nobody has attached. */
function waitsDetached(seen: Parameters<typeof offlineWork>[0], nowMs: number): string | undefined {
  if (seen.volume.status?.state !== 'detached') return undefined;
  const work = offlineWork(seen, nowMs);
  return work !== undefined && 'waitsFor' in work ? work.waitsFor : undefined;
}
