import { type Operation, sectorBytes } from './history.ts';

interface Step {
  readonly isWrite: boolean;
  readonly start: number;
  readonly end: number;
  readonly value: number;
}

/** The sectors whose reads and writes have no valid order in which each takes effect between its start and its end. */
export function notLinearizable(operations: readonly Operation[], sizeBytes: number): string[] {
  const wrong: string[] = [];
  for (let at = 0; at < sizeBytes; at += sectorBytes) {
    const steps = stepsOf(operations, at);
    if (!isLinearizable(steps)) wrong.push(`sector ${at / sectorBytes}: no order explains ${told(steps)}`);
  }
  return wrong;
}

function stepsOf(operations: readonly Operation[], at: number): Step[] {
  return operations.flatMap(({ kind, start, end, at: from, length, values }) => {
    if (at < from || at >= from + length) return [];
    const value = kind === 'write' ? values[0] : values[(at - from) / sectorBytes];
    // A read without an answer gives no information.
    return value === undefined ? [] : [{ isWrite: kind === 'write', start, end, value }];
  });
}

/**
 * Searches for an order, depth first: the next operation must have started before the earliest end of the remaining ones. A write without
 * an end need not take effect at all.
 */
export function isLinearizable(steps: readonly Step[]): boolean {
  const sorted = [...steps].sort((a, b) => a.start - b.start);
  const seen = new Set<string>();
  const search = (done: bigint, value: number): boolean => {
    const key = `${done}:${value}`;
    if (seen.has(key)) return false;
    seen.add(key);
    const left = sorted.flatMap((step, i) => (done & (1n << BigInt(i)) ? [] : [{ step, i }]));
    const firstEnd = Math.min(...left.map(({ step }) => step.end));
    if (firstEnd === Number.POSITIVE_INFINITY) return true;
    return left.some(({ step, i }) => {
      if (step.start > firstEnd || (!step.isWrite && step.value !== value)) return false;
      return search(done | (1n << BigInt(i)), step.isWrite ? step.value : value);
    });
  };
  return search(0n, 0);
}

const told = (steps: readonly Step[]): string =>
  steps.map(({ isWrite, start, end, value }) => `${isWrite ? 'w' : 'r'}${value}@${start}-${end}`).join(' ');
