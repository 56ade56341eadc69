import type { Extent } from '@lateen/block-engine';
import { expect, it } from 'vitest';
import { errorCodeOf } from '../error-code-of.ts';
import { call, type EngineHands, freshName } from './engine-hands.ts';

const MiB = 1024 * 1024;
const places = [0, 4096, 3 * MiB + 512, 9 * MiB];

const bytesIn = (extents: readonly Extent[]): bigint => extents.reduce((sum, { lengthBytes }) => sum + lengthBytes, 0n);
const covers = (extents: readonly Extent[], at: number): boolean =>
  extents.some(({ startBytes, lengthBytes }) => BigInt(at) >= startBytes && BigInt(at) < startBytes + lengthBytes);

/** Areas that contain data, and areas that may differ. */
export function extentTests(hands: () => EngineHands): void {
  const filled = async (at: readonly number[], value: number, volume: string): Promise<string> => {
    for (const place of at) await hands().fill(volume, place, value, 100);
    const snapshot = freshName();
    await hands().under.engine.snapshot(volume, snapshot, call);
    return snapshot;
  };
  const expectWellFormed = (extents: readonly Extent[]): void => {
    const granule = BigInt(hands().under.engine.granularityBytes);
    let end = -1n;
    for (const { startBytes, lengthBytes } of extents) {
      expect([startBytes % granule, lengthBytes % granule]).toEqual([0n, 0n]);
      expect(startBytes).toBeGreaterThan(end);
      end = startBytes + lengthBytes;
    }
  };

  it('cover all data and little more; an empty volume has none', async () => {
    const { engine } = hands().under;
    const volume = await hands().volume();
    expect(await hands().extents(volume, await filled([], 0, volume))).toEqual([]);
    const found = await hands().extents(volume, await filled(places, 1, volume));
    expectWellFormed(found);
    expect(places.map((at) => covers(found, at))).toEqual(places.map(() => true));
    expect(bytesIn(found) <= BigInt(places.length * 3 * engine.granularityBytes)).toBe(true);
  });

  it('since another snapshot cover all changes, with at most two more granules per change, in both directions', async () => {
    const { engine } = hands().under;
    const volume = await hands().volume();
    const older = await filled(places, 1, volume);
    const same = await filled([], 0, volume);
    const newer = await filled([4096, 12 * MiB], 2, volume);
    // An engine whose snapshots are full copies cannot tell what is equal.
    if (engine.can.rawSnapshotInUse) {
      expect(await hands().extents(volume, same, { since: older })).toEqual([]);
      const found = await hands().extents(volume, newer, { since: older });
      expectWellFormed(found);
      expect([covers(found, 4096), covers(found, 12 * MiB)]).toEqual([true, true]);
      expect(bytesIn(found) <= BigInt(2 * 3 * engine.granularityBytes)).toBe(true);
    }
    // Even when the volume no longer shares anything with the snapshot.
    expect(await hands().extents(volume, older, { since: older })).toEqual([]);
    const back = await hands().extents(volume, older, { since: newer });
    expect([covers(back, 4096), covers(back, 12 * MiB)]).toEqual([true, true]);
  });

  it('continue from any position', async () => {
    const volume = await hands().volume();
    const snapshot = await filled(places, 1, volume);
    const all = await hands().extents(volume, snapshot);
    for (const [at, { startBytes, lengthBytes }] of all.entries()) {
      expect(await hands().extents(volume, snapshot, { startBytes })).toEqual(all.slice(at));
      const rest = await hands().extents(volume, snapshot, { startBytes: startBytes + lengthBytes });
      expect(rest).toEqual(all.slice(at + 1));
    }
  });

  it('need an existing snapshot of this volume, and a position within it', async () => {
    const [volume, other] = [await hands().volume(), await hands().volume()];
    const snapshot = await filled([0], 1, volume);
    const end = BigInt(hands().under.volumeBytes);
    const codes = await Promise.all(
      [
        hands().extents(volume, freshName()),
        hands().extents(other, snapshot),
        hands().extents(volume, snapshot, { since: freshName() }),
        hands().extents(volume, snapshot, { startBytes: -1n }),
        hands().extents(volume, snapshot, { startBytes: end + 1n }),
        hands().extents(volume, snapshot, { startBytes: end }),
      ].map(errorCodeOf),
    );
    expect(codes).toEqual([...Array(3).fill('SNAPSHOT_NOT_FOUND'), 'OUT_OF_RANGE', 'OUT_OF_RANGE', 'none']);
  });
}
