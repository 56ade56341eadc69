import {
  type DataDownload,
  type DataMovementPhase,
  type DataUpload,
  dataUploadType,
  isTerminalPhase,
  labels,
} from '@lateen/api-types';
import { type Clock, type Random, silentLogger } from '@lateen/kernel';
import type { KubeApi, ObjectKey, ResourceType } from '@lateen/kube';
import { informer, waitForObject } from '@lateen/kube-runtime';
import type { MovementRecord } from '../report/movement-record.ts';

/**
 * Watches a movement that somebody else starts, from before it exists to its end, and notes when each phase was seen.
 * On abort: rejects with the signal's reason.
 */
export async function recordMovement<T extends DataUpload | DataDownload>(
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

/**
 * Watches all uploads of a backup while `command` runs, and resolves with a record of each when it has ended: by the name of
 * its volume. Rejects as the command does.
 */
export async function recordUploads(
  title: string,
  ports: { kube: KubeApi; clock: Clock; random: Random; namespace: string; backup: string },
  command: () => Promise<void>,
  signal: AbortSignal,
): Promise<MovementRecord[]> {
  const { kube, clock, random, namespace, backup } = ports;
  const over = new AbortController();
  const labelSelector = `${labels.backupName}=${backup}`;
  const uploads = informer({
    api: kube,
    type: dataUploadType,
    namespace,
    labelSelector,
    clock,
    random,
    log: silentLogger,
  });
  const seen = new Map<string, SeenPhase[]>();
  uploads.onChange(({ object }) => {
    const { name = '' } = object.metadata;
    const phases = seen.get(name) ?? [];
    seen.set(name, phases);
    notePhase(phases, object, clock);
  });
  const watching = uploads.run(AbortSignal.any([signal, over.signal]));
  try {
    await command();
    const ended = uploads.list().toSorted((a, b) => a.spec.sourcePVC.localeCompare(b.spec.sourcePVC));
    return ended.map((each) =>
      recordOf(`${title}, ${each.spec.sourcePVC}`, seen.get(each.metadata.name ?? '') ?? [], each),
    );
  } finally {
    over.abort();
    await watching;
  }
}

interface SeenPhase {
  phase: DataMovementPhase;
  atMs: number;
}

function notePhase(phases: SeenPhase[], { status }: DataUpload | DataDownload, clock: Clock): DataMovementPhase {
  const phase = status?.phase ?? 'New';
  if (phases.at(-1)?.phase !== phase) phases.push({ phase, atMs: clock.monotonicMs() });
  return phase;
}

function recordOf(title: string, phases: readonly SeenPhase[], ended: DataUpload | DataDownload): MovementRecord {
  const status: DataUpload['status'] = ended.status;
  return {
    title,
    phases,
    startedAtMs: phases[0]?.atMs ?? 0,
    endedAtMs: phases.at(-1)?.atMs ?? 0,
    totalBytes: status?.progress?.totalBytes ?? 0,
    incrementalBytes: 'csiSnapshot' in ended.spec ? (status?.incrementalBytes ?? 0) : undefined,
    snapshotId: status?.snapshotID,
    name: ended.metadata.name,
  };
}
