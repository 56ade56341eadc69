import { afterAll, beforeAll, describe } from 'vitest';
import { hookTimeoutMs } from './conformance-subject.ts';
import { abandonedWriteTests } from './object-store/abandoned-writes.ts';
import { abortTests } from './object-store/aborts.ts';
import { failedWriteTests } from './object-store/failed-writes.ts';
import { listingTests } from './object-store/listings.ts';
import type { ObjectStoreUnderTest } from './object-store/object-store-under-test.ts';
import { rangeTests } from './object-store/ranges.ts';
import { streamTests } from './object-store/streams.ts';
import { wholeObjectTests } from './object-store/whole-objects.ts';
import { wholeStoreTests } from './object-store/whole-store.ts';

/** Timeout for a real server on a busy machine. */
const testTimeoutMs = 120_000;

/** The conformance suite of ObjectStore; the port's documentation is the source (libs/object-store). */
export function describeObjectStore(name: string, make: () => Promise<ObjectStoreUnderTest>): void {
  describe(`ObjectStore: ${name}`, { timeout: testTimeoutMs }, () => {
    let under: ObjectStoreUnderTest;
    beforeAll(async () => {
      under = await make();
    }, hookTimeoutMs);
    afterAll(() => under?.close(), hookTimeoutMs);
    const current = () => under;

    describe('objects', () => wholeObjectTests(current));
    describe('listings', () => listingTests(current));
    describe('ranges', () => rangeTests(current));
    describe('streams', () => streamTests(current));
    describe('failed writes', () => failedWriteTests(current));
    describe('abandoned writes', () => abandonedWriteTests(current));
    describe('aborts', () => abortTests(current));
    wholeStoreTests(current);
  });
}
