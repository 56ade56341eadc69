import {
  type DataDownload,
  type DataMovementPhase,
  type DataUpload,
  isTerminalPhase,
  type PodVolumeBackup,
  type PodVolumeRestore,
} from '@lateen/api-types';
import { type Clock, type Random, silentLogger } from '@lateen/kernel';
import type { KubeApi, ObjectKey, ResourceType } from '@lateen/kube';
import { informer, waitForObject } from '@lateen/kube-runtime';
import type { MovementRecord } from '../report/movement-record.ts';

/** The kinds of movements. */
export type RecordedMovement = DataUpload | DataDownload | PodVolumeBackup | PodVolumeRestore;

/**
 * Watches a movement that another command starts, from before it exists to its end, and records when each phase was seen.
 * On abort: rejects with the signal's reason.
 */
export async function recordMovement<T extends RecordedMovement>(
  title: string,
  { kube, clock, type, key }: { kube: KubeApi; clock: Clock; type: ResourceType<T>; key: ObjectKey },
  signal: AbortSignal,
): Promise<MovementRecord> {
  const phases: SeenPhase[] = [];
  const ended = await waitForObject<T, T>({
    api: kube,
    type,
    key,
    clock,
    signal,
    until: (seen) => (seen !== undefined && isTerminalPhase(notePhase(phases, seen, clock)) ? seen : undefined),
  });
  return recordOf(title, phases, ended);
}

/** Which movements are watched, and their names in the report. */
export interface WatchedMovements<T extends RecordedMovement> {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  type: ResourceType<T>;
  namespace: string;
  labelSelector: string;
  titleOf(movement: T): string;
}

/**
 * Watches all movements of a backup or a restore while `command` runs, and resolves with a record of each, by title, when they have ended.
 * Rejects as the command does.
 */
export async function recordMovements<T extends RecordedMovement>(
  { kube, clock, random, type, namespace, labelSelector, titleOf }: WatchedMovements<T>,
  command: () => Promise<void>,
  signal: AbortSignal,
): Promise<MovementRecord[]> {
  const over = new AbortController();
  const movements = informer<T>({ api: kube, type, namespace, labelSelector, clock, random, log: silentLogger });
  const seen = new Map<string, SeenPhase[]>();
  movements.onChange(({ object }) => {
    const { name = '' } = object.metadata;
    const phases = seen.get(name) ?? [];
    seen.set(name, phases);
    notePhase(phases, object, clock);
  });
  const watching = movements.run(AbortSignal.any([signal, over.signal]));
  try {
    await command();
    return movements
      .list()
      .map((each) => recordOf(titleOf(each), seen.get(each.metadata.name ?? '') ?? [], each))
      .toSorted((a, b) => a.title.localeCompare(b.title));
  } finally {
    over.abort();
    await watching;
  }
}

interface SeenPhase {
  phase: DataMovementPhase;
  atMs: number;
}

function notePhase(phases: SeenPhase[], { status }: RecordedMovement, clock: Clock): DataMovementPhase {
  const phase = status?.phase ?? 'New';
  if (phases.at(-1)?.phase !== phase) phases.push({ phase, atMs: clock.monotonicMs() });
  return phase;
}

function recordOf(title: string, phases: readonly SeenPhase[], ended: RecordedMovement): MovementRecord {
  // Fields that a kind does not have are absent.
  const status = ended.status as (DataUpload['status'] & DataDownload['status']) | undefined;
  const isRestore = 'snapshotID' in ended.spec;
  return {
    title,
    phases,
    startedAtMs: phases[0]?.atMs ?? 0,
    endedAtMs: phases.at(-1)?.atMs ?? 0,
    totalBytes: status?.progress?.totalBytes ?? 0,
    incrementalBytes: isRestore ? undefined : (status?.incrementalBytes ?? 0),
    snapshotId: status?.snapshotID,
    throughput: isRestore ? status?.throughput : undefined,
    name: ended.metadata.name,
  };
}
