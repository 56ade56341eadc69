import { type VolumeSnapshot, volumeSnapshotType } from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import { type KubeApi, keyOf } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';

export interface ReadySnapshotOptions {
  /** Namespace of the claim and its snapshot. */
  namespace: string;
  claim: string;
  /** Default: `velero-`, the claim and a random suffix, like the names of a backup. */
  name?: string;
  /** Default: the class of local volumes. */
  volumeSnapshotClass?: string;
  signal?: AbortSignal;
}

const readyMsMax = 60_000;

/**
 * Takes a snapshot of the claim and waits until it is ready, as a backup does before it creates its DataUpload. One that is deleted while
 * it is being taken is completed by the snapshot controllers only at their next resync.
 */
export async function readySnapshot(kube: KubeApi, options: ReadySnapshotOptions): Promise<VolumeSnapshot> {
  const { namespace, claim, name, volumeSnapshotClass = 'lateen' } = options;
  const signal = options.signal ?? systemClock.deadline(readyMsMax);
  const snapshot = await kube.create(
    volumeSnapshotType,
    {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: { namespace, ...(name === undefined ? { generateName: `velero-${claim}-` } : { name }) },
      spec: { volumeSnapshotClassName: volumeSnapshotClass, source: { persistentVolumeClaimName: claim } },
    },
    { signal },
  );
  return await waitForObject<VolumeSnapshot, VolumeSnapshot>({
    api: kube,
    type: volumeSnapshotType,
    key: keyOf(snapshot),
    clock: systemClock,
    signal,
    until: (seen) => (seen?.status?.readyToUse === true ? seen : undefined),
  });
}
