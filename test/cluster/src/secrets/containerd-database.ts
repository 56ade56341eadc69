import { join } from 'node:path';
import type { NodeInfo } from '@lateen/cluster';
import { systemClock } from '@lateen/kernel';
import type { LeakSearch } from './leak-search.ts';

/** Shorter than the life of any container. */
const everyMs = 500;

/**
 * Searches containerd's database on the node's disk while containers run: it has the environment of each, and the space of a deleted
 * container may be reused at any time. Ends with the signal.
 */
export async function watchContainerd(node: NodeInfo, search: LeakSearch, signal: AbortSignal): Promise<void> {
  const database = join(node.varLibDir, 'containerd', 'io.containerd.metadata.v1.bolt', 'meta.db');
  do {
    await systemClock.sleep(everyMs, signal).catch(() => {});
    await search.file('file', database);
  } while (!signal.aborted);
}
