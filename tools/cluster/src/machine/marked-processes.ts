import { allProcesses, bootId, commandLine, processEnvironment } from '@lateen/child-process';
import type { ProcessRecord } from './process-record.ts';

/** Carries the cluster's id, so that every process of a cluster can be found. */
export const clusterVariable = 'LATEEN_CLUSTER';

/**
 * Every process of the cluster with that id: each program that the tool starts carries the id in its environment, and its
 * children inherit it. The record's name is the beginning of its command line.
 */
export async function markedProcesses(id: string): Promise<ProcessRecord[]> {
  const boot = await bootId();
  const marked: ProcessRecord[] = [];
  // The start is read before the mark: should the pid change hands in between, the record fits nobody.
  for (const { pid, startTicks } of await allProcesses()) {
    if ((await processEnvironment(pid)).get(clusterVariable) !== id) continue;
    const name = (await commandLine(pid)).slice(0, 2).join(' ');
    marked.push({ name, pid, startTicks, bootId: boot, fingerprint: '' });
  }
  return marked;
}
