import { int64Of, volumeHead } from '@lateen/storage-types';
import { decideSnapshotPurge } from '@lateen/volume-decisions';
import type { VolumeSight } from './volume-sight.ts';

/** The space that a volume takes in each replica. Bytes. */
export interface VolumeSpace {
  readonly sizeBytes: number;
  /** The head and the snapshots of one replica. */
  readonly actualBytes: number;
  readonly headBytes: number;
  readonly kept: readonly SnapshotSpace[];
  /** Snapshots that are marked as removed and still exist. */
  readonly removed: readonly SnapshotSpace[];
}

export interface SnapshotSpace {
  readonly name: string;
  readonly bytes: number;
  readonly byUser: boolean;
  /** For a removed snapshot: why it still exists. */
  readonly why: string;
}

export function volumeSpace({ volume, engine }: VolumeSight): VolumeSpace {
  const layers = engine?.status?.snapshots ?? {};
  const { kept } = decideSnapshotPurge(layers);
  const bytesOf = (name: string): number => Number(int64Of(layers[name]?.size) ?? 0n);
  const all = Object.keys(layers)
    .filter((name) => name !== volumeHead)
    .sort()
    .map((name) => ({
      name,
      bytes: bytesOf(name),
      byUser: layers[name]?.usercreated === true,
      why: layers[name]?.removed === true ? (kept[name] ?? 'it is merged next') : '',
    }));
  return {
    sizeBytes: Number(int64Of(volume.spec.size) ?? 0n),
    actualBytes: volume.status?.actualSize ?? 0,
    headBytes: bytesOf(volumeHead),
    kept: all.filter(({ why }) => why === ''),
    removed: all.filter(({ why }) => why !== ''),
  };
}
