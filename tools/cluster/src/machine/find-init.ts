import { allProcesses, commandLine } from '@lateen/child-process';
import type { MachineLayout } from '../lifecycle/cluster-layout.ts';
import { inMachine } from './machine-paths.ts';
import { type ProcessRecord, recordOf } from './process-record.ts';

/**
 * Process 1 of a machine, found by its command line, which contains the machine's unique name. This is safer than a file, which could be
 * stale or missing after an interrupted run.
 */
export async function findInit(layout: Pick<MachineLayout, 'uniqueName'>): Promise<ProcessRecord | undefined> {
  const inits = await findInits((name) => name === layout.uniqueName);
  return inits[0];
}

/** Process 1 of every machine with one of the unique names; the record has that name. */
export async function findInits(wanted: (uniqueName: string) => boolean): Promise<ProcessRecord[]> {
  const found: ProcessRecord[] = [];
  for (const facts of await allProcesses()) {
    const [program, mark] = await commandLine(facts.pid);
    if (program !== `${inMachine.binDir}/pause` || mark === undefined || !wanted(mark)) continue;
    const record = await recordOf(mark, facts.pid, mark);
    if (record) found.push(record);
  }
  return found;
}
