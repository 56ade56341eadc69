import { silentLogger } from '@lateen/kernel';
import { FakeClock, seededRandom } from '@lateen/testing';
import { expect, it } from 'vitest';
import { LongCalls } from './long-calls.ts';

const never = new AbortController().signal;

/** Requests the same call each second, as a controller does while the work is not done. Returns the seconds between the calls. */
async function gapsOf(calls: LongCalls, clock: FakeClock, seconds: number, what: (call: number) => string) {
  const at: number[] = [];
  for (let second = 0; second < seconds; second++) {
    const call = async function* () {
      yield at.push(second);
    };
    calls.begin('key', what(at.length), call, never);
    await clock.advance(1_000);
  }
  return at.slice(1).map((each, index) => each - (at[index] ?? 0));
}

const ports = () => {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  return { clock, ports: { clock, random: seededRandom(1), log: silentLogger } };
};

it('starts a call again as soon as it has ended', async () => {
  const { clock, ports: all } = ports();
  expect(await gapsOf(new LongCalls('rebuild', all), clock, 5, () => 'r')).toEqual([1, 1, 1, 1]);
});

it('increases the delay while the calls do not achieve their purpose, and resets it for another purpose', async () => {
  const { clock, ports: all } = ports();
  const calls = new LongCalls('purge', all, { repeats: 'rarer' });
  const [first = 0, second = 0, third = 0, other = 0] = await gapsOf(calls, clock, 60, (call) =>
    call < 3 ? 's1' : 's2',
  );
  expect(first).toBeGreaterThanOrEqual(4);
  expect(second).toBeGreaterThan(first);
  expect(third).toBeGreaterThan(second);
  expect(other).toBeLessThan(second);
});

it('forgets the history together with its key', async () => {
  const { clock, ports: all } = ports();
  const calls = new LongCalls('purge', all, { repeats: 'rarer' });
  await gapsOf(calls, clock, 20, () => 's1');
  calls.forget('key');
  await clock.advance(1_000);
  expect(calls.size).toBe(0);
  expect((await gapsOf(calls, clock, 8, () => 's1'))[0]).toBeLessThan(8);
});
