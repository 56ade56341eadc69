import { allProcesses, bootId, commandLine, processEnvironment } from '@lateen/child-process';
import type { ProcessRecord } from './process-record.ts';

/** Environment variable with the cluster's ID, by which every process of a cluster can be found. */
export const clusterVariable = 'LATEEN_CLUSTER';

/**
 * Every process of the cluster with that ID: each program that the tool starts has the ID in its environment, and its children inherit it.
 * The record's name is the start of its command line.
 */
export async function markedProcesses(id: string): Promise<ProcessRecord[]> {
  const boot = await bootId();
  const marked: ProcessRecord[] = [];
  // The start time is read before the mark: if another process takes the pid in between, the record matches no process.
  for (const { pid, startTicks } of await allProcesses()) {
    if ((await processEnvironment(pid)).get(clusterVariable) !== id) continue;
    const name = (await commandLine(pid)).slice(0, 2).join(' ');
    marked.push({ name, pid, startTicks, bootId: boot, fingerprint: '' });
  }
  return marked;
}
