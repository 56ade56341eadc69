import { cacheLeftover, hostingLeftovers } from '../api/clean-up-hosting.ts';
import { takeAwayAll } from '../api/take-away-all.ts';
import type { ExposeOptions, ExposerPorts } from '../exposer-ports.ts';
import { lentLeftover } from '../lent/lend-volume.ts';
import type { ExposeOwner } from '../owner.ts';

/**
 * Deletes what was made for the owner: the pod, its claim with the second object for the volume, and the claim of the cache with
 * its volume. The volume of the workload always stays. Safe to repeat. On abort: stops between deletes and leaves the rest for
 * the next call.
 * @throws CLEAN_UP_INCOMPLETE when every delete has been tried and some failed
 */
export async function cleanUpPodVolume(
  { kube }: ExposerPorts,
  owner: ExposeOwner,
  { signal }: ExposeOptions,
): Promise<void> {
  const leftovers = [
    ...hostingLeftovers(kube, owner, signal),
    cacheLeftover(kube, owner, signal),
    lentLeftover(kube, owner, signal),
  ];
  await takeAwayAll(owner, leftovers, signal);
}
