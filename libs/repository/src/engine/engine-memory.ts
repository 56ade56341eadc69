import type { GoRuntime } from './go-runtime.ts';

const MiB = 1024 * 1024;

/** Measured with kopia 0.22.3; see the README of the data mover, "Budget". */
const figures = {
  /** The process that runs the engine, and what it runs beside; at most half of what there is. */
  ownShareBytes: 72 * MiB,
  /** What the engine takes beside Go's heap, and by how much the heap overshoots; at most half of its share. */
  beyondHeapBytes: 70 * MiB,
  /** With less than this the heap may only grow by half between collections. */
  tightBytes: 256 * MiB,
} as const;

/** The engine's part of what its pod may have. Pure. */
export const engineShareBytes = (podBytes: number): number => Math.max(podBytes - figures.ownShareBytes, podBytes / 2);

/**
 * Keeps an engine inside the memory limit of its pod: Go collects harder instead of being killed. Without a limit Go decides. Pure.
 */
export function engineMemory(podBytes: number | undefined): GoRuntime {
  if (podBytes === undefined) return {};
  const share = engineShareBytes(podBytes);
  return {
    memoryLimitBytes: Math.floor(Math.max(share - figures.beyondHeapBytes, share / 2)),
    ...(share < figures.tightBytes ? { gcPercent: 50 } : {}),
  };
}
