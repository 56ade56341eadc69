import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { type Inventory, leftovers, takeInventory } from './find-leftovers.ts';

/** Deletions are finished by controllers and the CSI driver after the API has accepted them. */
const settleMsMax = 60_000;
const pollMs = 500;

/** What is left after everything has had time to go away; empty when nothing is. */
export async function findLeftovers(
  before: Inventory,
  { kube, clock, veleroNamespace }: { kube: KubeApi; clock: Clock; veleroNamespace: string },
  signal: AbortSignal,
): Promise<string[]> {
  const endMs = clock.monotonicMs() + settleMsMax;
  for (;;) {
    const left = leftovers(before, await takeInventory(kube, veleroNamespace, signal));
    if (left.length === 0 || clock.monotonicMs() >= endMs) return left;
    await clock.sleep(pollMs, signal);
  }
}
