/** Where one content is stored, as the newest index entry says. Plain data: it is sent to worker threads. */
export interface ContentLocation {
  /** Hash of the bytes in hex, behind one letter for metadata (`k` folders, `x` indirect objects, `m` manifests). */
  contentId: string;
  /** The pack's blob name, such as `p7f…`; its key in the store is prefix and name. */
  packId: string;
  /** Of the packed bytes in the pack. */
  offset: number;
  /** Packed: compressed and encrypted. */
  length: number;
  /** Of the bytes once unpacked. */
  originalLength: number;
  /** 0: not compressed. */
  compressionHeaderId: number;
}
