import type { Durable } from './front-end.ts';
import { type History, sectorBytes, sectorsOf } from './history.ts';

/**
 * R10: the sectors that hold, after a power loss, something older than what was flushed. A sector may hold any write that did not end
 * before a flushed one started, or its first content when nothing was flushed.
 */
export function lost(content: Uint8Array, durables: readonly Durable[], history: History): string[] {
  const flushed = durables.filter(({ isFlushed }) => isFlushed).map(({ operation }) => operation);
  return sectorsOf(content).flatMap((value, sector) => {
    const at = sector * sectorBytes;
    const covers = (o: { at: number; length: number }) => o.at <= at && at < o.at + o.length;
    const kept = flushed.filter(covers);
    const isPossible = history.operations.some(
      (write) =>
        write.kind === 'write' &&
        write.values[0] === value &&
        covers(write) &&
        !kept.some((later) => write.end < later.start),
    );
    if (isPossible || (value === 0 && kept.length === 0)) return [];
    return [`sector ${sector} holds ${value} after a loss of power, which is older than what was flushed`];
  });
}
