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
  /** What is summed now. */
  readonly running: readonly { readonly volume: string; readonly node: string }[];
  readonly settings: Settings;
}

/** The sum of one snapshot is to be computed on each replica; with `onlyChanged` on those alone whose file has changed since. */
export interface SumTask {
  readonly volume: string;
  readonly node: string;
  readonly snapshot: string;
  readonly onlyChanged: boolean;
}

/**
 * Which sums of snapshots are computed now: the oldest first, one of a volume at a time, and as many of a node as
 * `snapshot-heavy-task-concurrent-limit` says. A snapshot is due when the cron expression has come by since its sum was computed, so that
 * a time that was missed is made up once.
 */
export function decideSums({ volumes, running, settings }: SumsSeen, nowMs: number): readonly SumTask[] {
  const limit = settings.number('snapshot-heavy-task-concurrent-limit');
  const onNode = new Map<string, number>();
  for (const { node } of running) onNode.set(node, (onNode.get(node) ?? 0) + 1);
  const busy = new Set(running.map(({ volume }) => volume));
  const due = volumes
    .flatMap((each) => dueOf(each, settings, nowMs))
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
  nowMs: number,
): (SumTask & { sinceMs: number })[] {
  const { snapshotDataIntegrity: own = 'ignored', snapshotHashingRequestedAt = '' } = volume.spec;
  const mode = own === 'ignored' ? settings.text('snapshot-data-integrity') : own;
  const isWhole = !Object.values(engine?.status?.replicaModeMap ?? {}).some((each) => each !== 'RW');
  if (mode === 'disabled' || engine?.status?.currentState !== 'running' || !isWhole) return [];
  const expression = settings.text('snapshot-data-integrity-cronjob');
  const times = cronProblem(expression) === undefined ? parseCron(expression) : undefined;
  const atOnce = settings.flag('snapshot-data-integrity-immediate-check-after-snapshot-creation');
  const requestedMs = Date.parse(snapshotHashingRequestedAt);
  return snapshots.flatMap(({ metadata, status = {} }) => {
    if (metadata.deletionTimestamp !== undefined || status.readyToUse !== true) return [];
    const sinceMs = Date.parse(status.checksumCalculatedAt || status.creationTime || '');
    if (Number.isNaN(sinceMs)) return [];
    const isNew = (status.checksum ?? '') === '';
    const periodic = (times?.next(sinceMs) ?? Number.POSITIVE_INFINITY) <= nowMs;
    const asked = requestedMs > sinceMs || (isNew && requestedMs >= sinceMs);
    if (!periodic && !asked && !(isNew && atOnce)) return [];
    const names = { volume: volume.metadata.name ?? '', snapshot: metadata.name ?? '', node: engine.spec.nodeID ?? '' };
    return [{ ...names, onlyChanged: mode === 'fast-check' && !isNew, sinceMs }];
  });
}
