import { labels, persistentVolumeClaimType, type VolumeSnapshot, volumeSnapshotType } from '@lateen/api-types';
import { type KeptBase, readBase, spentBases } from '@lateen/changed-blocks/base';
import type { Clock, Logger } from '@lateen/kernel';
import { deleteIfThere, type KubeApi, listIfServed, readObject } from '@lateen/kube';

export interface BaseCollectionPorts {
  kube: KubeApi;
  clock: Clock;
  log: Logger;
  /** Of the installation: where bases are. */
  namespace: string;
  /** How often, in ms. */
  frequencyMs: number;
}

/**
 * Looks again and again for snapshots that stay for a next upload which will not come, and deletes them (docs/adr/0081). Until `signal` aborts. A
 * look that fails is logged, and the next one comes after the same time.
 */
export async function collectBases(ports: BaseCollectionPorts, signal: AbortSignal): Promise<void> {
  const { clock, log, frequencyMs } = ports;
  while (!signal.aborted) {
    await collectBasesOnce(ports, signal).catch((error: unknown) => {
      if (!signal.aborted) log.error({ error }, 'snapshots that stay for a next upload could not be looked at');
    });
    await clock.sleep(frequencyMs, signal).catch(() => {});
  }
}

/** One look. @throws what the API server answers, after the bases before */
export async function collectBasesOnce(
  { kube, clock, log, namespace }: BaseCollectionPorts,
  signal: AbortSignal,
): Promise<void> {
  // Where the cluster has no snapshots there are no bases either.
  const snapshots = await listIfServed(kube, volumeSnapshotType, { namespace, labelSelector: labels.baseOf, signal });
  const ofBase = new Map<KeptBase, VolumeSnapshot>();
  for (const snapshot of snapshots) {
    const base = readBase(snapshot);
    if (base === undefined) log.info({ snapshot: snapshot.metadata.name }, 'notes of a base that are not whole');
    else ofBase.set(base, snapshot);
  }
  const bases = [...ofBase.keys()];
  const uids = await claimUids(kube, bases, signal);
  const claimUid = (claim: KeptBase['claim']) => uids.get(keyOfClaim(claim));
  for (const { base, reason } of spentBases({ bases, claimUid, nowMs: clock.now() })) {
    const snapshot = ofBase.get(base);
    if (snapshot !== undefined) await deleteIfThere(kube, volumeSnapshotType, snapshot, signal);
    log.info({ snapshot: base.name, claim: base.claim, reason }, 'a snapshot does not stay for a next upload any more');
  }
}

const keyOfClaim = ({ namespace, name }: KeptBase['claim']) => `${namespace}/${name}`;

/** One after another: an hour is a long time, and a list of all claims of a cluster is large. */
async function claimUids(kube: KubeApi, bases: readonly KeptBase[], signal: AbortSignal): Promise<Map<string, string>> {
  const uids = new Map<string, string>();
  for (const { claim } of bases) {
    const found = await readObject(kube, persistentVolumeClaimType, claim, signal);
    if (found?.metadata.uid !== undefined) uids.set(keyOfClaim(claim), found.metadata.uid);
  }
  return uids;
}
