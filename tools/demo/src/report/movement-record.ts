import type { DataMovementPhase, RestoreThroughput } from '@lateen/api-types';

/** One upload or download as the demo saw it. Times are of this process's clock, ms. */
export interface MovementRecord {
  title: string;
  /** When each phase was first seen, in order. */
  phases: readonly { phase: DataMovementPhase; atMs: number }[];
  startedAtMs: number;
  endedAtMs: number;
  totalBytes: number;
  incrementalBytes?: number | undefined;
  /** Size of the bucket afterwards; absent when the demo cannot read the bucket. */
  storedBytes?: number | undefined;
  snapshotId?: string | undefined;
  /** The throughput in the status of a download. */
  throughput?: RestoreThroughput | undefined;
  /** Name of the custom resource. */
  name?: string | undefined;
}

/** Time in each phase that was seen, ms. The last one is terminal and has none. */
export function phaseDurations(record: MovementRecord): { phase: DataMovementPhase; ms: number }[] {
  return record.phases
    .slice(0, -1)
    .map(({ phase, atMs }, index) => ({ phase, ms: (record.phases[index + 1]?.atMs ?? atMs) - atMs }));
}

/** Bytes per second while InProgress; undefined when that phase was not seen or took no time. */
export function rate(record: MovementRecord): number | undefined {
  const inProgress = phaseDurations(record).find(({ phase }) => phase === 'InProgress')?.ms ?? 0;
  return inProgress > 0 ? (record.totalBytes / inProgress) * 1000 : undefined;
}
