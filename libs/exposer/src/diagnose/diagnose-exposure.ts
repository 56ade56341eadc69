import { eventType, persistentVolumeClaimType, podType, volumeSnapshotType } from '@lateen/api-types';
import { type KubeApi, readObject } from '@lateen/kube';
import type { ExposeOwner } from '../owner.ts';
import { rootCause } from './root-cause.ts';

/** Events of one exposure are few; more than this are repetitions. */
const eventsMax = 200;

/**
 * Why an exposure is not ready: looks at the objects that bear the owner's name and at their Events, and names the
 * cause nearest to the root. `source` is the workload's snapshot, as long as ours does not exist. Undefined when
 * nothing is found.
 */
export async function diagnoseExposure(
  kube: KubeApi,
  owner: ExposeOwner,
  options: { signal: AbortSignal; source?: { namespace: string; name: string } },
): Promise<string | undefined> {
  const { signal, source } = options;
  const key = { namespace: owner.namespace, name: owner.name };
  const [pod, claim, ours, theirs, events] = await Promise.all([
    readObject(kube, podType, key, signal),
    readObject(kube, persistentVolumeClaimType, key, signal),
    source === undefined ? undefined : readObject(kube, volumeSnapshotType, key, signal),
    source === undefined ? undefined : readObject(kube, volumeSnapshotType, source, signal),
    kube.list(eventType, {
      namespace: owner.namespace,
      fieldSelector: `involvedObject.name=${owner.name}`,
      limit: eventsMax,
      signal,
    }),
  ]);
  return rootCause({ pod, claim, snapshot: ours ?? theirs, events: events.items });
}
