import { replicaLimits } from '../limits.ts';
import type { ReplicaRecord } from '../record/replica-record.ts';
import type { ReplicaFolder } from './replica-folder.ts';

export interface ReplicaUsage {
  readonly actualBytes: bigint;
  readonly layers: readonly { readonly id: number; readonly bytes: bigint }[];
}

/** The disk usage of the files. A layer that has just been removed counts as zero. */
export async function replicaUsage(folder: ReplicaFolder, record: ReplicaRecord): Promise<ReplicaUsage> {
  const layers: { id: number; bytes: bigint }[] = [];
  for (const { id, file } of record.layers) {
    const facts = await folder.facts(file);
    layers.push({ id, bytes: BigInt(facts?.allocatedBytes ?? 0) });
  }
  return { actualBytes: layers.reduce((sum, { bytes }) => sum + bytes, 0n), layers };
}

export interface ReplicaSpace {
  readonly availableBytes: number;
  readonly totalBytes: number;
  /** The disk is nearly full: the replica should be dropped cleanly before a write fails. Only reported here; the caller decides. */
  readonly isLow: boolean;
}

export async function replicaSpace(folder: ReplicaFolder): Promise<ReplicaSpace> {
  const { availableBytes, totalBytes } = await folder.space();
  return { availableBytes, totalBytes, isLow: isLow(availableBytes, totalBytes) };
}

export const isLow = (availableBytes: number, totalBytes: number): boolean =>
  availableBytes < Math.max(replicaLimits.lowBytes, totalBytes * replicaLimits.lowPart);
