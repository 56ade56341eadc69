import { AppError } from '@lateen/errors';
import { type Clock, systemClock } from '@lateen/kernel';
import { endProcess } from '../machine/end-process.ts';
import { findInit } from '../machine/find-init.ts';
import type { ProcessRecord } from '../machine/process-record.ts';
import { clusterLayout } from './cluster-layout.ts';
import { defaultClusterDir } from './default-dir.ts';

export interface KillMachineOptions {
  /** The cluster's folder. Absent: `.lateen/cluster` of this checkout. */
  dir?: string;
  /** `control-plane`, `node-1`, … */
  machine: string;
  clock?: Clock;
}

/**
 * Ends a machine as a power loss does: all its processes at once, without notice. Its disks stay; `clusterUp` starts it again. Resolves
 * when its process 1 is gone.
 * @throws MACHINE_NOT_RUNNING, and WAIT_TIMEOUT when the process does not end
 */
export async function killMachine({ dir, machine, clock = systemClock }: KillMachineOptions): Promise<void> {
  const init = await runningMachine(dir ?? defaultClusterDir, machine);
  await endProcess(init, clock, { atOnce: true });
}

/** Process 1 of that machine. @throws MACHINE_NOT_RUNNING */
export async function runningMachine(dir: string, machine: string): Promise<ProcessRecord> {
  const { controlPlane } = clusterLayout(dir);
  const prefix = controlPlane.uniqueName.slice(0, -controlPlane.name.length);
  const init = await findInit({ uniqueName: `${prefix}${machine}` });
  if (init === undefined)
    throw new AppError('MACHINE_NOT_RUNNING', `no machine named ${machine} runs in the cluster in ${dir}`, {
      nextStep: 'See `npm run cluster -- status`.',
    });
  return init;
}
