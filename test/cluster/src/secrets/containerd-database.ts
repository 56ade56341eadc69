import { join } from 'node:path';
import type { NodeInfo } from '@lateen/cluster';
import { systemClock } from '@lateen/kernel';
import type { LeakSearch } from './leak-search.ts';

/** Shorter than any container lives. */
const everyMs = 500;

/**
 * Looks at containerd's database on the node's disk while containers come and go: it has the environment of each, and
 * when the container is gone, nobody knows when the place is used again. Ends with the signal.
 */
export async function watchContainerd(node: NodeInfo, search: LeakSearch, signal: AbortSignal): Promise<void> {
  const database = join(node.varLibDir, 'containerd', 'io.containerd.metadata.v1.bolt', 'meta.db');
  do {
    await systemClock.sleep(everyMs, signal).catch(() => {});
    await search.file('file', database);
  } while (!signal.aborted);
}
