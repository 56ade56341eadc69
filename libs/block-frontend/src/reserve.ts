import { type BlockTarget, blockIoError } from '@lateen/block-engine';
import { frontendLimits } from './frontend-limits.ts';

/** How much longer than the volume its export is made. Nothing is stored for it. */
export function reserveBytesOf(sizeBytes: number): number {
  return Math.min(sizeBytes, frontendLimits.reserveBytesMax);
}

/**
 * A target with a reserve behind its end, for clients that learn a size once. The reserve reads as zeros and takes nothing (`ENOSPC`); it becomes
 * part of the target when the target grows. Only the target's own size, which is asked for each request, says where it begins.
 */
export function withReserve(target: BlockTarget, exportBytes: bigint): BlockTarget {
  /** What of an area the target has. */
  const inside = (at: bigint, lengthBytes: number): number => {
    const left = target.sizeBytes - at;
    if (left <= 0n) return 0;
    return left < BigInt(lengthBytes) ? Number(left) : lengthBytes;
  };
  const full = () => blockIoError('ENOSPC', 'the volume ends here');
  const whole = async (at: bigint, lengthBytes: number, change: () => Promise<void>) => {
    if (inside(at, lengthBytes) < lengthBytes) throw full();
    await change();
  };
  return {
    sizeBytes: exportBytes,
    read: async (at, lengthBytes) => {
      const length = inside(at, lengthBytes);
      if (length === lengthBytes) return target.read(at, lengthBytes);
      const zeros = new Uint8Array(lengthBytes - length);
      return length === 0 ? [zeros] : [...(await target.read(at, length)), zeros];
    },
    write: (at, data, o) =>
      whole(
        at,
        data.reduce((sum, { length }) => sum + length, 0),
        () => target.write(at, data, o),
      ),
    zero: (at, lengthBytes, o) => whole(at, lengthBytes, () => target.zero(at, lengthBytes, o)),
    // A trim is a hint: of what lies behind the end nothing is kept anyway.
    trim: async (at, lengthBytes) => {
      const length = inside(at, lengthBytes);
      if (length > 0) await target.trim(at, length);
    },
    flush: () => target.flush(),
  };
}
