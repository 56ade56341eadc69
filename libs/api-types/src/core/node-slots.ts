import type { EnvVar } from './container.ts';

/** Beyond this many data paths at the same time a node's disks and network are the limit, and each path has files enough. */
const slotsByDefaultMax = 4;

const variable = 'LATEEN_NODE_SLOTS';

/** The default number of data paths at the same time on a node with this many CPUs: one for each CPU, four at most. */
export const slotsByDefault = (nodeCpus: number): number =>
  Math.min(Math.max(Math.trunc(nodeCpus), 1), slotsByDefaultMax);

/** Tells a data mover how many of them may run beside each other on a node; absent: {@link slotsByDefault}. */
export const slotsVariable = (slots: number): EnvVar => ({ name: variable, value: String(slots) });

/** What the environment says; anything but a whole number above zero is nothing. */
export function slotsIn(environment: Readonly<Record<string, string | undefined>>): number | undefined {
  const slots = Number(environment[variable] || Number.NaN);
  return Number.isSafeInteger(slots) && slots > 0 ? slots : undefined;
}
