import { slotsByDefault } from '@lateen/api-types';

/**
 * Each costs kopia buffers of 36 MiB (engine-budget.ts), so this many take 4.5 GiB; only a node with 64 CPUs or more reaches it.
 */
const parallelFilesByDefaultMax = 128;

export interface MachineShare {
  /** CPUs of the whole node. */
  nodeCpus: number;
  /** CPUs that this pod may use: by its limit and its affinity. */
  podCpus: number;
  /** Data paths at the same time on the node, when the installation sets it; otherwise `slotsByDefault`. */
  slots: number | undefined;
}

/**
 * The default number of files at the same time: all data paths of a node together have about twice as many as it has CPUs, so
 * that some can wait for disk or network while the others compute. One data path gets its share, and less when its pod has fewer
 * CPUs than that. Pure.
 */
export function parallelFilesByDefault({ nodeCpus, podCpus, slots = slotsByDefault(nodeCpus) }: MachineShare): number {
  const files = Math.ceil(2 * Math.min(nodeCpus / slots, podCpus));
  return Math.min(Math.max(files, 1), parallelFilesByDefaultMax);
}
