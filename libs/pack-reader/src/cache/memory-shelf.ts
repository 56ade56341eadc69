import { LeastRecent } from './least-recent.ts';
import type { Shelf } from './shelf.ts';

/** Packs in memory, up to `bytesMax` together, those under way included. */
export function memoryShelf(bytesMax: number): Shelf {
  const packs = new Map<string, Buffer>();
  const order = new LeastRecent();
  let comingBytes = 0;
  const forget = (packId: string) => {
    order.remove(packId);
    packs.delete(packId);
  };
  /** @returns false when so much never fits */
  const makeRoom = (): boolean => {
    while (order.bytes + comingBytes > bytesMax) {
      const oldest = order.removeOldest();
      if (oldest === undefined) return false;
      packs.delete(oldest);
    }
    return true;
  };
  return {
    isOpen: bytesMax > 0,
    read: async (packId, offset, into) => {
      const pack = packs.get(packId);
      if (pack === undefined || pack.length < offset + into.length) return false;
      into.set(pack.subarray(offset, offset + into.length));
      order.touch(packId);
      return true;
    },
    keep: async (packId, pieces) => {
      const held: Uint8Array[] = [];
      let bytes = 0;
      try {
        for await (const piece of pieces) {
          bytes += piece.length;
          comingBytes += piece.length;
          if (!makeRoom()) return false;
          held.push(piece);
        }
        packs.set(packId, Buffer.concat(held, bytes));
        order.add(packId, bytes);
      } finally {
        comingBytes -= bytes;
      }
      return true;
    },
    close: async () => {
      for (const packId of [...packs.keys()]) forget(packId);
    },
  };
}
