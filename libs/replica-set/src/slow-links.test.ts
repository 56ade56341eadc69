import { FakeClock, letWorkRun, ModelReplica, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { ReplicaFailure } from './failure.ts';
import { Pace } from './pace.ts';
import type { ReplicaSetOptions } from './replica-set.ts';
import { startReplicaSet } from './start-replica-set.ts';

const sizeBytes = 1024 * 1024;
const never = new AbortController().signal;
type Later = (deliver: () => void) => void;

const atOnce: Later = (deliver) => queueMicrotask(deliver);

/** Carries requests one after the other, each for `eachMs`. */
function narrow(clock: FakeClock, eachMs: number): Later {
  let freeAtMs = 0;
  return (deliver) => {
    freeAtMs = Math.max(freeAtMs, clock.monotonicMs()) + eachMs;
    void clock.sleep(freeAtMs - clock.monotonicMs(), never).then(deliver);
  };
}

/** Replicas `a` and `b`; `to` is the link to `a`, which gets the reads. */
function aSet(to: (clock: FakeClock) => Later, o: Partial<ReplicaSetOptions> = {}) {
  const clock = new FakeClock();
  const model = (name: string, later: Later) =>
    new ModelReplica({ name, sizeBytes, unitBytes: 4096, clock, later, chance: () => 0 });
  const [a, b] = [model('a', to(clock)), model('b', atOnce)];
  const recorded: ReplicaFailure[] = [];
  const set = startReplicaSet({
    volume: 'v',
    generation: 1,
    sizeBytes: BigInt(sizeBytes),
    replicas: [a, b].map((replica) => ({ name: replica.name, link: replica.connect(0), local: replica === a })),
    recordFailure: async (failure) => void recorded.push(failure),
    clock,
    random: seededRandom(),
    log: recordingLog(),
    ...o,
  });
  return { set, clock, a, b, recorded };
}

/** The number of these promises that have settled by now. */
async function doneOf(promises: readonly Promise<unknown>[]): Promise<number> {
  let done = 0;
  for (const each of promises) void each.then(() => done++);
  await letWorkRun();
  return done;
}

const write = (set: ReturnType<typeof aSet>['set'], n: number) =>
  set.target.write(BigInt(n * 4096), [new Uint8Array(4096).fill(n)]);

describe('a slow link', () => {
  it('does not fail while it answers, even if the last answer takes longer than the reply timeout', async () => {
    const { set, clock, recorded } = aSet((of) => narrow(of, 350));
    const writes = Array.from({ length: 20 }, (_, n) => write(set, n));
    await clock.advance(12_000);
    expect(await doneOf(writes)).toBeLessThan(20);
    await clock.advance(4_000);
    expect(await doneOf(writes)).toBe(20);
    expect([recorded, [...set.state.modes.keys()]]).toEqual([[], ['a', 'b']]);
  });

  it('fails when one request takes three reply timeouts, whatever else is answered', async () => {
    const { set, clock, a, recorded } = aSet(() => atOnce);
    await set.target.flush();
    const hung = a.nextHangs();
    const writing = write(set, 0);
    for (let second = 0; second < 23; second++) {
      await write(set, 1);
      await clock.advance(1_000);
    }
    expect([recorded, await doneOf([writing])]).toEqual([[], 0]);
    await clock.advance(3_000);
    expect(recorded).toMatchObject([{ replica: 'a', cause: { kind: 'timeout' } }]);
    expect(await doneOf([writing])).toBe(1);
    hung();
  });

  it('fails at the reply timeout when it answers nothing, even if it sends keep-alives', async () => {
    const { set, clock, a, recorded } = aSet(() => atOnce);
    await set.target.flush();
    a.nextHangs();
    const writing = write(set, 0);
    await clock.advance(10_000);
    expect(recorded).toMatchObject([{ replica: 'a', cause: { kind: 'timeout', message: 'no answer for 9s' } }]);
    expect(await doneOf([writing])).toBe(1);
  });
});

describe('a read that waits too long', () => {
  it('is repeated on another replica, and the later answer is dropped', async () => {
    const { set, clock, a, b } = aSet(() => atOnce);
    await write(set, 0);
    const answer = a.nextHangs();
    const reads = [set.target.read(0n, 4096)];
    await clock.advance(1_000);
    expect(await doneOf(reads)).toBe(0);
    await clock.advance(3_000);
    expect(await doneOf(reads)).toBe(1);
    expect([...set.state.modes.keys()]).toEqual(['a', 'b']);
    answer();
    await letWorkRun();
    expect(set.state).toMatchObject({ pendingRequests: 0, pendingBytes: 0 });
    expect(b.content[0]).toBe(0);
  });

  it('is repeated only while there is room for the bytes', async () => {
    const { set, clock, a } = aSet(() => atOnce, { limits: { askedAgainBytesMax: 8192 } });
    await set.target.flush();
    a.isHung = true;
    const reads = [0, 1, 2].map((n) => set.target.read(BigInt(n * 4096), 4096));
    await clock.advance(3_000);
    expect(await doneOf(reads)).toBeGreaterThanOrEqual(2);
    await clock.advance(10_000);
    expect(await doneOf(reads)).toBe(3);
  });
});

describe('the pace of writes', () => {
  it('is halved down to a minimum while answers are slow, and doubled while writes wait', () => {
    const pace = new Pace({ bytesMax: 64, paceFirstBytes: 16, paceLeastBytes: 2 });
    const sent: number[] = [];
    for (let n = 0; n < 10; n++) pace.enter(8, () => sent.push(n));
    expect(sent).toEqual([0, 1]);
    for (let n = 0; n < 9; n++) pace.slower();
    expect(pace.windowBytes).toBe(2);
    pace.leave(8);
    expect(sent).toEqual([0, 1]);
    pace.leave(8);
    // Larger than the limit, and sent alone.
    expect(sent).toEqual([0, 1, 2]);
    for (let n = 0; n < 9; n++) pace.faster();
    expect([sent.length, pace.windowBytes]).toEqual([10, 64]);
    pace.faster();
    expect(pace.windowBytes).toBe(64);
  });

  it('keeps a link with one write per second alive, which would time out if all writes were sent at once', async () => {
    const limits = { paceFirstBytes: 8 * 4096, paceLeastBytes: 4096 };
    const { set, clock, recorded } = aSet((of) => narrow(of, 500), { limits });
    const writes = Array.from({ length: 60 }, (_, n) => write(set, n));
    await clock.advance(90_000);
    expect(recorded).toEqual([]);
    expect(await doneOf(writes)).toBe(60);
  });
});
