import type { KubeObject } from '../meta/kube-object.ts';
import type { SecretKeySelector } from '../meta/secret-key-selector.ts';
import { veleroType } from '../meta/velero-type.ts';

/** A place where a provider keeps native volume snapshots. CSI snapshots need none. */
export interface VolumeSnapshotLocation extends KubeObject {
  spec: VolumeSnapshotLocationSpec;
  status?: VolumeSnapshotLocationStatus;
}

/** The provider, and its settings. */
export interface VolumeSnapshotLocationSpec {
  /** Name of the plugin that takes the snapshots, such as `aws` or `velero.io/aws`. */
  provider: string;
  /** Settings of the plugin, as text, such as `region`. Empty: its defaults. */
  config?: Record<string, string>;
  /** Key of a Secret with the credentials, in the same namespace. Empty: the credentials that Lateen was installed with. */
  credential?: SecretKeySelector;
}

export const volumeSnapshotLocationPhases = ['Available', 'Unavailable'] as const;
export type VolumeSnapshotLocationPhase = (typeof volumeSnapshotLocationPhases)[number];

/**
 * State of the location. Nothing writes it.
 * @see api.md section 6
 */
export interface VolumeSnapshotLocationStatus {
  /** Whether the location can be used. It is always empty, as in Velero. */
  phase?: VolumeSnapshotLocationPhase;
}

export const volumeSnapshotLocationType = veleroType<VolumeSnapshotLocation>(
  'v1',
  'VolumeSnapshotLocation',
  'volumesnapshotlocations',
);
