/** Where whole packs are kept as long as there is room. */
export interface Shelf {
  /** False when it can keep nothing, now or ever again. */
  readonly isOpen: boolean;
  /** Fills `into` with the bytes of a pack from `offset` on. @returns false when it does not have all of them */
  read(packId: string, offset: number, into: Uint8Array): Promise<boolean>;
  /**
   * Keeps a pack, for which others may have to go. Rejects with what `pieces` rejects with, and then keeps nothing of it.
   * @returns false when there is no room, for it or for any
   */
  keep(packId: string, pieces: AsyncIterable<Uint8Array>): Promise<boolean>;
  /** Leaves nothing behind. */
  close(): Promise<void>;
}
