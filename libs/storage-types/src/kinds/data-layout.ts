import type { Integer } from '@lateen/api-types';

export const dataLayoutTypes = ['replicated', 'sharded', ''] as const;
export type DataLayoutType = (typeof dataLayoutTypes)[number];

export const dataLayoutModes = ['raid1', 'erasureCoding', ''] as const;
export type DataLayoutMode = (typeof dataLayoutModes)[number];

/** How a volume's data is laid out over nodes. */
export interface DataLayout {
  /** Whole copies, or shards. */
  type?: DataLayoutType;
  /** How the layout protects the data. */
  mode?: DataLayoutMode;
  /**
   * Number of shards with data.
   * @minimum 0
   */
  dataChunks?: Integer;
  /**
   * Number of shards with parity.
   * @minimum 0
   */
  parityChunks?: Integer;
  /**
   * Size of a strip in KiB.
   * @minimum 0
   */
  stripSizeKB?: Integer;
}
