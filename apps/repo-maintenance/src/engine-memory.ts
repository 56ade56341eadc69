import type { GoRuntime } from '@lateen/repository';

const MiB = 1024 * 1024;

/** This process: Node and what it keeps; at most half of what there is. */
const ownShareBytes = 72 * MiB;

/** What the engine takes beside Go's heap; at most half of its share (data mover README, "Budget"). */
const beyondHeapBytes = 70 * MiB;

/** With less than this the heap may only grow by half between collections. */
const tightBytes = 256 * MiB;

/**
 * Keeps the engine inside the pod's memory limit, which the Job hands over (`maintenanceJob`): Go collects harder instead of being
 * killed. Without a limit Go decides. Pure.
 */
export function engineMemory(limitBytes: number | undefined): GoRuntime {
  if (limitBytes === undefined) return {};
  const share = Math.max(limitBytes - ownShareBytes, limitBytes / 2);
  return {
    memoryLimitBytes: Math.floor(Math.max(share - beyondHeapBytes, share / 2)),
    ...(share < tightBytes ? { gcPercent: 50 } : {}),
  };
}

/** LATEEN_LIMIT_MEMORY_BYTES as the kubelet fills it in; anything else means no limit. */
export function memoryLimitOf(environment: Readonly<Record<string, string | undefined>>): number | undefined {
  const value = Number(environment.LATEEN_LIMIT_MEMORY_BYTES || Number.NaN);
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
