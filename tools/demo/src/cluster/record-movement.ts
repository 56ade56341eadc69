import { type DataDownload, type DataMovementPhase, type DataUpload, isTerminalPhase } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import type { KubeApi, ObjectKey, ResourceType } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
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
  const phases: { phase: DataMovementPhase; atMs: number }[] = [];
  const ended = await waitForObject<T, T>({
    api: kube,
    type,
    key,
    clock,
    signal,
    until: (seen) => {
      if (seen === undefined) return undefined;
      const phase = seen.status?.phase ?? 'New';
      if (phases.at(-1)?.phase !== phase) phases.push({ phase, atMs: clock.monotonicMs() });
      return isTerminalPhase(phase) ? seen : undefined;
    },
  });
  const status: DataUpload['status'] = ended.status;
  return {
    title,
    phases,
    startedAtMs: phases[0]?.atMs ?? 0,
    endedAtMs: phases.at(-1)?.atMs ?? 0,
    totalBytes: status?.progress?.totalBytes ?? 0,
    incrementalBytes: 'csiSnapshot' in ended.spec ? (status?.incrementalBytes ?? 0) : undefined,
    snapshotId: status?.snapshotID,
  };
}
