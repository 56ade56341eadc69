import { parseCron } from '@lateen/cron';
import type { Engine, Snapshot, Volume } from '@lateen/storage-types';
import { cronProblem } from '../recurring/cron-problem.ts';
import type { Settings } from '../settings/read-settings.ts';

export interface SumsSeen {
  readonly volumes: readonly {
    readonly volume: Volume;
    readonly engine?: Engine;
    readonly snapshots: readonly Snapshot[];
  }[];
  /** The sums that are being computed. */
  readonly running: readonly { readonly volume: string; readonly node: string }[];
  readonly settings: Settings;
}

/** Each replica has to report the sum of one snapshot; with `onlyChanged` only replicas whose layer has changed since the last sum read it. */
export interface SumTask {
  readonly volume: string;
  readonly node: string;
  readonly snapshot: string;
  readonly onlyChanged: boolean;
}

/**
 * Which sums of snapshots are computed now: the oldest first, one of a volume at a time, and as many on a node as
 * `snapshot-heavy-task-concurrent-limit` allows. A snapshot is due when a time of the cron expression has passed since its sum was computed, so a
 * missed time is made up once.
 */
export function decideSums({ volumes, running, settings }: SumsSeen, nowMs: number): readonly SumTask[] {
  const limit = settings.number('snapshot-heavy-task-concurrent-limit');
  const onNode = new Map<string, number>();
  for (const { node } of running) onNode.set(node, (onNode.get(node) ?? 0) + 1);
  const busy = new Set(running.map(({ volume }) => volume));
  const cameBy = scheduleOf(settings, nowMs);
  const due = volumes
    .flatMap((each) => dueOf(each, settings, cameBy))
    .sort((a, b) => a.sinceMs - b.sinceMs || order(a, b));
  const tasks: SumTask[] = [];
  for (const { sinceMs: _, ...task } of due) {
    const there = onNode.get(task.node) ?? 0;
    if (busy.has(task.volume) || (limit > 0 && there >= limit)) continue;
    busy.add(task.volume);
    onNode.set(task.node, there + 1);
    tasks.push(task);
  }
  return tasks;
}

const order = (a: SumTask, b: SumTask): number => (`${a.volume}/${a.snapshot}` < `${b.volume}/${b.snapshot}` ? -1 : 1);

function dueOf(
  { volume, engine, snapshots }: SumsSeen['volumes'][number],
  settings: Settings,
  cameBy: (sinceMs: number) => boolean,
): (SumTask & { sinceMs: number })[] {
  const { snapshotDataIntegrity: own = 'ignored', snapshotHashingRequestedAt = '' } = volume.spec;
  const mode = own === 'ignored' ? settings.text('snapshot-data-integrity') : own;
  const modes = Object.values(engine?.status?.replicaModeMap ?? {});
  const isWhole = modes.length > 0 && modes.every((each) => each === 'RW');
  if (mode === 'disabled' || engine?.status?.currentState !== 'running' || !isWhole) return [];
  const atOnce = settings.flag('snapshot-data-integrity-immediate-check-after-snapshot-creation');
  const requestedMs = Date.parse(snapshotHashingRequestedAt);
  return snapshots.flatMap(({ metadata, status = {} }) => {
    if (metadata.deletionTimestamp !== undefined || status.readyToUse !== true) return [];
    const sinceMs = Date.parse(status.checksumCalculatedAt || status.creationTime || '');
    if (Number.isNaN(sinceMs)) return [];
    // A snapshot whose replicas could not agree has no checksum, and is not due at once for that reason. It is read again later, because a person may
    // have repaired it.
    const isKept = (status.checksum ?? '') !== '';
    const isNew = (status.checksumCalculatedAt ?? '') === '';
    const periodic = cameBy(sinceMs);
    const asked = requestedMs > sinceMs || (isNew && requestedMs >= sinceMs);
    if (!periodic && !asked && !(isNew && atOnce)) return [];
    const names = { volume: volume.metadata.name ?? '', snapshot: metadata.name ?? '', node: engine.spec.nodeID ?? '' };
    return [{ ...names, onlyChanged: mode === 'fast-check' && isKept, sinceMs }];
  });
}

/**
 * Whether a time of the cron expression has passed since a given time. Called for thousands of snapshots, while finding the next time is expensive: a
 * time that has passed since a later moment has passed since an earlier one too, so the next time is computed about once for each time that has
 * passed.
 */
function scheduleOf(settings: Settings, nowMs: number): (sinceMs: number) => boolean {
  const expression = settings.text('snapshot-data-integrity-cronjob');
  if (cronProblem(expression) !== undefined) return () => false;
  const times = parseCron(expression);
  let cameBefore = Number.NEGATIVE_INFINITY;
  let notFrom = Number.POSITIVE_INFINITY;
  return (sinceMs) => {
    if (sinceMs < cameBefore) return true;
    if (sinceMs >= notFrom) return false;
    const nextMs = times.next(sinceMs) ?? Number.POSITIVE_INFINITY;
    if (nextMs <= nowMs) cameBefore = nextMs;
    else notFrom = sinceMs;
    return nextMs <= nowMs;
  };
}
