import type { GoRuntime } from './go-runtime.ts';

const MiB = 1024 * 1024;

/** Measured with kopia 0.22.3; see the README of the data mover, "Budget". */
const figures = {
  /** The process that runs the engine, and its other children; at most half of the memory. */
  ownShareBytes: 72 * MiB,
  /** What the engine uses besides Go's heap, and the overshoot of the heap; at most half of its share. */
  beyondHeapBytes: 70 * MiB,
  /** With less than this the heap may only grow by half between collections. */
  tightBytes: 256 * MiB,
} as const;

/** The engine's share of its pod's memory. Pure. */
export const engineShareBytes = (podBytes: number): number => Math.max(podBytes - figures.ownShareBytes, podBytes / 2);

/**
 * Keeps an engine inside the memory limit of its pod: Go collects garbage more often instead of being killed. Without a limit,
 * Go's defaults apply. Pure.
 */
export function engineMemory(podBytes: number | undefined): GoRuntime {
  if (podBytes === undefined) return {};
  const share = engineShareBytes(podBytes);
  return {
    memoryLimitBytes: Math.floor(Math.max(share - figures.beyondHeapBytes, share / 2)),
    ...(share < figures.tightBytes ? { gcPercent: 50 } : {}),
  };
}
