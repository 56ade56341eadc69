import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteQueue } from './byte-queue.ts';

type Step = { push: number } | { head: number } | { list: number } | { peek: true };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc
      .oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 900, max: 1200 }), fc.constant(10_000))
      .map((push) => ({ push })),
    fc.integer({ min: 0, max: 64 }).map((head) => ({ head })),
    fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 20_000 })).map((list) => ({ list })),
    fc.constant({ peek: true } as const),
  ),
  { maxLength: 60 },
);

describe('ByteQueue', () => {
  it('returns the bytes that were added, for any sizes on both sides', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const queue = new ByteQueue();
        let model = Buffer.alloc(0);
        let next = 0;
        for (const step of all) {
          if ('push' in step) {
            const bytes = Buffer.from(Array.from({ length: step.push }, () => next++ & 0xff));
            queue.push(bytes);
            model = Buffer.concat([model, bytes]);
          } else if ('peek' in step) {
            expect(queue.peekUint32()).toBe(model.length < 4 ? undefined : model.readUInt32BE(0));
          } else {
            const n = 'head' in step ? step.head : step.list;
            const taken = 'head' in step ? queue.takeHead(n) : queue.takeList(n);
            const got = taken === undefined || Buffer.isBuffer(taken) ? taken : Buffer.concat(taken);
            if (model.length < n) expect(got).toBeUndefined();
            else expect(got?.equals(model.subarray(0, n))).toBe(true);
            if (got !== undefined) model = model.subarray(n);
          }
          expect(queue.length).toBe(model.length);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('holds single bytes in few buffers, and large data in the original ones', () => {
    const queue = new ByteQueue();
    for (let i = 0; i < 100_000; i++) queue.push(Buffer.of(i & 0xff));
    const pieces = queue.takeList(100_000) ?? [];
    expect(pieces.length).toBeLessThan(10);
    expect(Buffer.concat(pieces).every((byte, i) => byte === (i & 0xff))).toBe(true);
    const large = [Buffer.alloc(65_536), Buffer.alloc(65_536)];
    for (const piece of large) queue.push(piece);
    const taken = queue.takeList(131_072);
    expect(taken?.[0]).toBe(large[0]);
    expect(taken?.[1]).toBe(large[1]);
  });

  it('does not change buffers that it returned', () => {
    const queue = new ByteQueue();
    queue.push(Buffer.alloc(10, 1));
    queue.push(Buffer.alloc(10, 2));
    const first = Buffer.concat(queue.takeList(15) ?? []);
    const kept = queue.takeList(5) ?? [];
    queue.push(Buffer.alloc(10, 3));
    queue.push(Buffer.alloc(10, 4));
    expect(Buffer.concat(kept)).toEqual(Buffer.alloc(5, 2));
    expect(first).toEqual(Buffer.concat([Buffer.alloc(10, 1), Buffer.alloc(5, 2)]));
    expect(Buffer.concat(queue.takeList(20) ?? [])).toEqual(Buffer.concat([Buffer.alloc(10, 3), Buffer.alloc(10, 4)]));
  });
});
