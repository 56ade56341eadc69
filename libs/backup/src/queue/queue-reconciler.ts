import type { Backup, Namespace } from '@lateen/api-types';
import type { Clock, Logger } from '@lateen/kernel';
import { isConflict, isNotFound } from '@lateen/kube';
import { again, type Outcome, type Reconciler, settled } from '@lateen/kube-runtime';
import { OwnWrites } from '@lateen/run';
import { moveBackup, type WritePorts, writeBackup } from '../api/write-backup.ts';
import { phaseOf } from '../phases/phase-moves.ts';
import { backupScope } from './backup-scope.ts';
import { decideQueue, type QueuedBackup, type QueueStep } from './decide-queue.ts';

export interface QueuePorts extends WritePorts {
  /** Read from the informers' caches. */
  listBackups(): readonly Backup[];
  listNamespaces(): readonly Namespace[];
  concurrentBackups: number;
  clock: Clock;
  log: Logger;
}

/** How many writes run before the next decision: a backup that can start must not wait until hundreds of others get a position. */
const writesAtOnce = 16;

/** The shortest time between two renumberings: with hundreds of queued backups, each start would cause as many writes. */
export const renumberMs = 5_000;

/** Reconciles the queue: one key represents all Backups. Each write is guarded, so a second controller starts nothing twice. */
export function queueReconciler(ports: QueuePorts): Reconciler {
  const own = new OwnWrites<Backup>();
  let renumberedMs = Number.NEGATIVE_INFINITY;
  return {
    reconcile: async (_, signal) => {
      for (;;) {
        signal.throwIfAborted();
        const backups = own.over(ports.listBackups());
        const steps = decideQueue(seen(ports, backups), ports.concurrentBackups);
        const urgent = firstOfOneKind(steps.filter(({ kind }) => kind !== 'renumber'));
        if (urgent.length > 0) {
          const isDone = await writeAll(ports, own, backups, urgent.slice(0, writesAtOnce), signal);
          if (isDone) continue;
          return again(renumberMs, 'somebody else wrote to a backup at the same time');
        }
        const { outcome, due } = renumberDue(steps, renumberedMs, ports.clock);
        if (!due) return outcome;
        renumberedMs = ports.clock.monotonicMs();
        for (let at = 0; at < steps.length; at += writesAtOnce)
          await writeAll(ports, own, backups, steps.slice(at, at + writesAtOnce), signal);
      }
    },
  };
}

function renumberDue(steps: readonly QueueStep[], lastMs: number, clock: Clock): { outcome: Outcome; due: boolean } {
  if (steps.length === 0) return { outcome: settled, due: false };
  const leftMs = lastMs + renumberMs - clock.monotonicMs();
  return { outcome: again(Math.max(leftMs, 0), 'positions in the queue are computed again'), due: leftMs <= 0 };
}

/** Starts come before new positions. */
function firstOfOneKind(steps: readonly QueueStep[]): readonly QueueStep[] {
  const starts = steps.filter(({ kind }) => kind === 'start');
  return starts.length > 0 ? starts : steps;
}

function seen({ listNamespaces }: QueuePorts, backups: readonly Backup[]): QueuedBackup[] {
  const namespaces = listNamespaces().map(({ metadata }) => metadata.name ?? '');
  return backups.flatMap((backup): QueuedBackup[] => {
    const phase = phaseIfKnown(backup);
    if (phase === undefined || !(phase in inQueue)) return [];
    const { metadata, spec, status } = backup;
    return [
      {
        name: metadata.name ?? '',
        phase,
        position: status?.queuePosition ?? 0,
        createdMs: Date.parse(metadata.creationTimestamp ?? '') || 0,
        scope: backupScope(spec, namespaces),
        isLeaving: metadata.deletionTimestamp !== undefined || spec.cancel === true,
      },
    ];
  });
}

/** The phases that the queue evaluates. */
const inQueue = { New: true, Queued: true, ReadyToStart: true, InProgress: true, Canceling: true };

function phaseIfKnown(backup: Backup): ReturnType<typeof phaseOf> | undefined {
  try {
    return phaseOf(backup);
  } catch {
    return undefined;
  }
}

/** Returns false when a write failed because the object has changed: the watch will deliver the new state. */
async function writeAll(
  ports: QueuePorts,
  own: OwnWrites<Backup>,
  backups: readonly Backup[],
  steps: readonly QueueStep[],
  signal: AbortSignal,
): Promise<boolean> {
  const byName = new Map(backups.map((backup) => [backup.metadata.name, backup]));
  const done = await Promise.all(
    steps.map(async (step) => {
      const backup = byName.get(step.name);
      if (backup === undefined) return true;
      try {
        own.add(backup, await write(ports, backup, step, signal));
        return true;
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
        return false;
      }
    }),
  );
  return done.every(Boolean);
}

async function write(ports: QueuePorts, backup: Backup, step: QueueStep, signal: AbortSignal): Promise<Backup> {
  switch (step.kind) {
    case 'start':
      return await moveBackup(ports, backup, 'ReadyToStart', { status: { queuePosition: 0 } }, signal);
    case 'enqueue':
      return await moveBackup(ports, backup, 'Queued', { status: { queuePosition: step.position } }, signal);
    case 'renumber':
      return await writeBackup(ports, backup, { status: { queuePosition: step.position } }, signal);
    default:
      return step satisfies never;
  }
}
