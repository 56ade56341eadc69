import type { ProcessKind, ProcessStep, SeenProcess, WantedProcess } from './process-plan.ts';

/** How long a process has after SIGTERM: one that holds writes needs time to finish them. */
const graceMs: Readonly<Record<ProcessKind, number>> = {
  // It releases its lock on the backup target, which may be slow.
  'block-backup': 20_000,
  nbdfuse: 10_000,
  'nbd-client': 10_000,
  'engine-host': 30_000,
  replica: 10_000,
};

/** The order in which processes of one volume end: none may still write into one that is being closed. */
const endOrder: readonly ProcessKind[] = ['block-backup', 'nbd-client', 'nbdfuse', 'engine-host', 'replica'];

/**
 * The steps that make the wanted processes run and end all other processes of ours. Pure. It never ends a process without a record, never starts a
 * second process beside one of the same id that may live, and never starts an ended run again. Called repeatedly: each time it returns what can be
 * done now.
 */
export function planProcesses(
  wanted: readonly WantedProcess[],
  seen: readonly SeenProcess[],
  atMs: number,
): readonly ProcessStep[] {
  const wantedById = new Map(wanted.map((process) => [process.id, process]));
  const seenIds = new Set(seen.map(({ id }) => id));
  const leaving = seen.filter((one) => wantedById.get(one.id)?.run !== one.run);
  const steps = leaving.flatMap((one) => leave(one, wantedById.get(one.id), leaving, atMs));
  const starts = wanted.filter(({ id }) => !seenIds.has(id)).map((process) => ({ do: 'start' as const, process }));
  return [...steps, ...starts];
}

function leave(
  one: SeenProcess,
  successor: WantedProcess | undefined,
  leaving: readonly SeenProcess[],
  atMs: number,
): readonly ProcessStep[] {
  const { id, health, pid, startTicks } = one;
  if (health === 'gone')
    return [{ do: 'forget', id }, ...(successor === undefined ? [] : [{ do: 'start' as const, process: successor }])];
  if (health === 'unsure' || pid === undefined || startTicks === undefined)
    return [{ do: 'wait', id, reason: `it is not known yet whether the last start of ${id} has happened` }];
  const before = leaving.find((other) => goesBefore(other, one) && !isStuck(other, atMs));
  if (before !== undefined) return [{ do: 'wait', id, reason: `${before.id} uses ${id} and has not ended` }];
  if (one.endingSinceMs === undefined) return [{ do: 'end', id, pid, startTicks, signal: 'SIGTERM' }];
  if (atMs - one.endingSinceMs >= graceMs[one.kind]) return [{ do: 'end', id, pid, startTicks, signal: 'SIGKILL' }];
  return [{ do: 'wait', id, reason: `${id} (pid ${pid}) has been asked to end` }];
}

const goesBefore = (other: SeenProcess, one: SeenProcess): boolean =>
  other.health !== 'gone' &&
  other.volume !== undefined &&
  other.volume === one.volume &&
  endOrder.indexOf(other.kind) < endOrder.indexOf(one.kind);

/** It was killed and still exists: it waits for a disk in the kernel, and other processes do not wait for it any more. */
const isStuck = ({ endingSinceMs, kind }: SeenProcess, atMs: number): boolean =>
  endingSinceMs !== undefined && atMs - endingSinceMs >= 2 * graceMs[kind];
