import type { Integer } from '@lateen/api-types';

export const dataLayoutTypes = ['replicated', 'sharded', ''] as const;
export type DataLayoutType = (typeof dataLayoutTypes)[number];

export const dataLayoutModes = ['raid1', 'erasureCoding', ''] as const;
export type DataLayoutMode = (typeof dataLayoutModes)[number];

/** How the data of a volume is distributed over nodes. */
export interface DataLayout {
  /** `replicated` or empty: each replica has all data. `sharded`: data is split over shards; Lateen refuses it. */
  type?: DataLayoutType;
  /** How data survives the loss of a disk: `raid1` (replicas) or `erasureCoding` (shards, which Lateen refuses). Empty: as type says. */
  mode?: DataLayoutMode;
  /**
   * Number of shards with data, for erasure coding. No effect in Lateen.
   * @minimum 0
   */
  dataChunks?: Integer;
  /**
   * Number of shards with parity, for erasure coding. No effect in Lateen.
   * @minimum 0
   */
  parityChunks?: Integer;
  /**
   * Size of a strip in KiB, for erasure coding. No effect in Lateen.
   * @minimum 0
   */
  stripSizeKB?: Integer;
}
