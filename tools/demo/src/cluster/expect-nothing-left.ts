import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { type Inventory, leftovers, takeInventory } from './find-leftovers.ts';

/** Controllers and the CSI driver complete deletions after the API has accepted them. */
const settleMsMax = 60_000;
const pollMs = 500;

/** What is left after everything has had time to be deleted; empty when nothing is. */
export function findLeftovers(
  before: Inventory,
  { kube, clock, veleroNamespace }: { kube: KubeApi; clock: Clock; veleroNamespace: string },
  signal: AbortSignal,
): Promise<string[]> {
  const look = async () => leftovers(before, await takeInventory(kube, veleroNamespace, signal));
  return leftAfter(look, settleMsMax, { clock, signal });
}

/** Repeats `look` until it finds nothing, or until `settleMs` have passed; returns its last result. */
export async function leftAfter(
  look: () => Promise<string[]>,
  settleMs: number,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<string[]> {
  const endMs = clock.monotonicMs() + settleMs;
  for (;;) {
    const left = await look();
    if (left.length === 0 || clock.monotonicMs() >= endMs) return left;
    await clock.sleep(pollMs, signal);
  }
}
