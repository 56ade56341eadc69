import { slotsByDefault } from '@lateen/api-types';

/** Each costs kopia buffers of 36 MiB (engine-budget.ts), so this many take 4.5 GiB; only a node of 64 CPUs or more gets there. */
const parallelFilesByDefaultMax = 128;

export interface MachineShare {
  /** Of the whole node. */
  nodeCpus: number;
  /** What of them this pod may use: its limit, its affinity. */
  podCpus: number;
  /** Data paths at the same time on the node, when the installation says; else it is `slotsByDefault`. */
  slots: number | undefined;
}

/**
 * Files at the same time when nobody says: all data paths of a node together about twice as many as it has CPUs, so that
 * some can wait for disk or network while the others compute. One data path gets its share, and less where its pod has fewer
 * CPUs than that. Pure.
 */
export function parallelFilesByDefault({ nodeCpus, podCpus, slots = slotsByDefault(nodeCpus) }: MachineShare): number {
  const files = Math.ceil(2 * Math.min(nodeCpus / slots, podCpus));
  return Math.min(Math.max(files, 1), parallelFilesByDefaultMax);
}
