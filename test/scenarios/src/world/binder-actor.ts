import {
  annotations,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
} from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';

/**
 * The volume binder of kube-controller-manager: binds a claim and the volume that is reserved for it, the volume first, and releases a
 * volume whose claim is gone. Like the real one it processes a claim when the claim changes, or when a volume appears that names it with
 * its uid; a volume that names it without the uid only becomes Available.
 */
export class BinderActor {
  readonly #cluster: FakeCluster;
  /** Binds and releases nothing while set. */
  hold = false;
  /** Stops between the two writes of a binding: the volume is Bound, the claim is not, and will be whatever happens. */
  holdClaims = false;
  /** Claims about to be written, with the volume as it was at the decision. */
  readonly #underWay = new Map<string, { claim: PersistentVolumeClaim; volume: PersistentVolume }>();

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
  }

  /** True when something was done. */
  react(): boolean {
    if (this.hold) return false;
    return [
      ...(this.holdClaims ? [] : [...this.#underWay.values()].map((each) => this.#finish(each))),
      ...this.#cluster.look(persistentVolumeClaimType).map((claim) => this.#bind(claim)),
      ...this.#cluster.look(persistentVolumeType).map((volume) => this.#offer(volume) || this.#release(volume)),
    ].includes(true);
  }

  #bind(claim: PersistentVolumeClaim): boolean {
    if (claim.status?.phase === 'Bound' || claim.metadata.deletionTimestamp !== undefined) return false;
    if (claim.metadata.annotations?.[annotations.bindCompleted] !== undefined) return this.#callLost(claim);
    const volume = this.#volumeFor(claim);
    if (volume === undefined) return false;
    const { uid = '' } = claim.metadata;
    if (volume.status?.phase === 'Bound' && volume.spec.claimRef?.uid === uid) {
      this.#underWay.set(uid, { claim, volume });
      return this.holdClaims ? false : this.#finish({ claim, volume });
    }
    this.#cluster.change<PersistentVolume>(persistentVolumeType, keyOf(volume), (object) => {
      object.spec.claimRef = { ...object.spec.claimRef, uid };
      object.status = { phase: 'Bound' };
    });
    return true;
  }

  /** The annotation says that it was already bound. */
  #callLost(claim: PersistentVolumeClaim): boolean {
    if (claim.status?.phase === 'Lost') return false;
    this.#cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, keyOf(claim), (object) => {
      object.status = { phase: 'Lost' };
    });
    return true;
  }

  #finish({ claim, volume }: { claim: PersistentVolumeClaim; volume: PersistentVolume }): boolean {
    this.#underWay.delete(claim.metadata.uid ?? '');
    const present = this.#cluster.find(persistentVolumeClaimType, keyOf(claim));
    if (present?.metadata.resourceVersion !== claim.metadata.resourceVersion) return false;
    const isGiven = claim.spec.volumeName !== undefined;
    this.#cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, keyOf(claim), (object) => {
      object.spec.volumeName = volume.metadata.name ?? '';
      object.status = { phase: 'Bound' };
      object.metadata.annotations = {
        ...object.metadata.annotations,
        ...(isGiven ? {} : { [annotations.boundByController]: 'yes' }),
        [annotations.bindCompleted]: 'yes',
      };
    });
    return true;
  }

  #volumeFor({ metadata, spec }: PersistentVolumeClaim): PersistentVolume | undefined {
    const isKeptFor = ({ spec: { claimRef } }: PersistentVolume) =>
      claimRef?.name === metadata.name && claimRef?.namespace === metadata.namespace;
    if (spec.volumeName === undefined) {
      const volumes = this.#cluster.all(persistentVolumeType).filter(isKeptFor);
      return volumes.find((each) => each.spec.claimRef?.uid === metadata.uid && !each.metadata.deletionTimestamp);
    }
    const named = this.#cluster.find(persistentVolumeType, { name: spec.volumeName });
    const uid = named?.spec.claimRef?.uid;
    return named !== undefined && isKeptFor(named) && (uid === undefined || uid === metadata.uid) ? named : undefined;
  }

  /** A volume that is reserved for a claim and not bound yet. */
  #offer(volume: PersistentVolume): boolean {
    const reference = volume.spec.claimRef;
    if (reference === undefined || reference.uid !== undefined || volume.status?.phase === 'Available') return false;
    return this.#turn(volume, 'Available');
  }

  #release(volume: PersistentVolume): boolean {
    const { uid, namespace, name = '' } = volume.spec.claimRef ?? {};
    if (uid === undefined || volume.status?.phase === 'Released') return false;
    const claim = this.#cluster.find(persistentVolumeClaimType, { namespace, name });
    return claim?.metadata.uid === uid ? false : this.#turn(volume, 'Released');
  }

  #turn(volume: PersistentVolume, phase: 'Available' | 'Released'): boolean {
    this.#cluster.change<PersistentVolume>(persistentVolumeType, keyOf(volume), (object) => {
      object.status = { phase };
    });
    return true;
  }
}
