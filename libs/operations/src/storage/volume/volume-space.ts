import { int64Of, volumeHead } from '@lateen/storage-types';
import { decideSnapshotPurge } from '@lateen/volume-decisions';
import type { VolumeSight } from './volume-sight.ts';

/** What takes space in each replica of a volume. Bytes. */
export interface VolumeSpace {
  readonly sizeBytes: number;
  /** Head and snapshots of one replica. */
  readonly actualBytes: number;
  readonly headBytes: number;
  readonly kept: readonly SnapshotSpace[];
  /** Marked as removed, and still there. */
  readonly removed: readonly SnapshotSpace[];
}

export interface SnapshotSpace {
  readonly name: string;
  readonly bytes: number;
  readonly byUser: boolean;
  /** Of a removed one: why it is still there. */
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
