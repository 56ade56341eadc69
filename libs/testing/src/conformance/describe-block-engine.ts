import { afterAll, beforeAll, describe } from 'vitest';
import { abandonedCallTests } from './block-engine/abandoned-calls.ts';
import type { BlockEngineUnderTest } from './block-engine/block-engine-under-test.ts';
import { EngineHands } from './block-engine/engine-hands.ts';
import { extentTests } from './block-engine/extents.ts';
import { snapshotTests } from './block-engine/snapshots.ts';
import { volumeTests } from './block-engine/volumes.ts';
import { hookTimeoutMs } from './conformance-subject.ts';

/** Timeout for real devices on a busy machine. */
const testTimeoutMs = 120_000;

/** The conformance suite of BlockEngine; the port's documentation is the source (libs/block-engine). Optional features are in `can`. */
export function describeBlockEngine(name: string, make: () => Promise<BlockEngineUnderTest>): void {
  describe(`BlockEngine: ${name}`, { timeout: testTimeoutMs }, () => {
    let hands: EngineHands | undefined;
    beforeAll(async () => {
      hands = new EngineHands(await make());
    }, hookTimeoutMs);
    afterAll(() => hands?.under.close(), hookTimeoutMs);
    const current = (): EngineHands => {
      if (hands === undefined) throw new Error('the engine under test was not made');
      return hands;
    };

    describe('a volume', () => volumeTests(current));
    describe('a snapshot', () => snapshotTests(current));
    describe('extents', () => extentTests(current));
    describe('a caller', () => abandonedCallTests(current));
  });
}
