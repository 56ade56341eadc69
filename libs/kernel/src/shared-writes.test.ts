import { expect, it } from 'vitest';
import { SharedWrites } from './shared-writes.ts';

/** A state, and what has been written of it; each write waits until the test releases it. */
function held() {
  const written: number[] = [];
  const begun: PromiseWithResolvers<void>[] = [];
  const state = { value: 0 };
  const writes = new SharedWrites(async () => {
    const { value } = state;
    const go = Promise.withResolvers<void>();
    begun.push(go);
    await go.promise;
    written.push(value);
  });
  const untilBegun = async (count: number) => {
    while (begun.length < count) await Promise.resolve();
  };
  return { state, written, begun, writes, untilBegun };
}

it('requests during a write share the next write, which has the state of the last request', async () => {
  const { state, written, begun, writes, untilBegun } = held();
  state.value = 1;
  const first = writes.sync();
  await untilBegun(1);
  const later = [2, 3, 4].map((value) => {
    state.value = value;
    return writes.sync();
  });
  begun[0]?.resolve();
  await first;
  await untilBegun(2);
  begun[1]?.resolve();
  await Promise.all(later);
  expect(written).toEqual([1, 4]);
});

it('a failed write rejects all requests that share it, and the next write is made', async () => {
  const { written, begun, writes, untilBegun } = held();
  const first = writes.sync();
  await untilBegun(1);
  begun[0]?.reject(new Error('no space'));
  await expect(first).rejects.toThrow('no space');
  const second = writes.sync();
  await untilBegun(2);
  begun[1]?.resolve();
  await second;
  expect(written).toEqual([0]);
});
