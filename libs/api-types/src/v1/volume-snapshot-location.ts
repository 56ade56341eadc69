import type { KubeObject } from '../meta/kube-object.ts';
import type { SecretKeySelector } from '../meta/secret-key-selector.ts';
import { veleroType } from '../meta/velero-type.ts';

/** Where native volume snapshots of a provider are kept. */
export interface VolumeSnapshotLocation extends KubeObject {
  spec: VolumeSnapshotLocationSpec;
  status?: VolumeSnapshotLocationStatus;
}

/** The provider and its settings. */
export interface VolumeSnapshotLocationSpec {
  /** Provider of the volumes. */
  provider: string;
  /** Settings of the provider. */
  config?: Record<string, string>;
  /** Secret key with the credentials. */
  credential?: SecretKeySelector;
}

export const volumeSnapshotLocationPhases = ['Available', 'Unavailable'] as const;
export type VolumeSnapshotLocationPhase = (typeof volumeSnapshotLocationPhases)[number];

/**
 * What is known about the location; nothing writes it yet.
 * @see api.md section 6
 */
export interface VolumeSnapshotLocationStatus {
  /** Whether the location can be used. */
  phase?: VolumeSnapshotLocationPhase;
}

export const volumeSnapshotLocationType = veleroType<VolumeSnapshotLocation>(
  'v1',
  'VolumeSnapshotLocation',
  'volumesnapshotlocations',
);
