import { replicaIoError } from '@lateen/block-engine';
import { AppError } from '@lateen/errors';
import { FakeClock, letWorkRun, ModelReplica, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { ReplicaFailure } from './failure.ts';
import type { ReplicaSetOptions } from './replica-set.ts';
import { startReplicaSet } from './start-replica-set.ts';

const sizeBytes = 64 * 1024;

/** A set over replicas that answer at once. `record` is what the API server does with failures. */
function aSet(names: readonly string[], o: Partial<ReplicaSetOptions> = {}) {
  const clock = new FakeClock();
  const replicas = names.map((name) => aReplica(name, clock));
  const recorded: ReplicaFailure[] = [];
  const set = startReplicaSet({
    volume: 'v',
    generation: 1,
    sizeBytes: BigInt(sizeBytes),
    replicas: replicas.map((replica) => ({ name: replica.name, link: replica.connect(0) })),
    recordFailure: async (failure) => void recorded.push(failure),
    clock,
    random: seededRandom(),
    log: recordingLog(),
    ...o,
  });
  return { set, clock, replicas, recorded };
}

function aReplica(name: string, clock: FakeClock): ModelReplica {
  return new ModelReplica({
    name,
    sizeBytes,
    unitBytes: 4096,
    clock,
    later: (deliver) => queueMicrotask(deliver),
    chance: () => 0,
    violated: (what) => expect.fail(what),
  });
}

const bytes = (value: number, length = 4096) => new Uint8Array(length).fill(value);

/** Whether a promise has settled by now. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  let state = 'waits';
  promise.then(
    () => {
      state = 'done';
    },
    () => {
      state = 'failed';
    },
  );
  await letWorkRun();
  return state;
}

describe('startReplicaSet', () => {
  it('copies a write to all replicas without a copy of the bytes, and reads it back', async () => {
    const { set, replicas } = aSet(['a', 'b', 'c']);
    await set.target.write(8192n, [bytes(7), bytes(8)]);
    expect(replicas.map((replica) => [replica.content[8192], replica.content[12_288]])).toEqual([
      [7, 8],
      [7, 8],
      [7, 8],
    ]);
    expect(Buffer.concat(await set.target.read(8192n, 8192))).toEqual(Buffer.concat([bytes(7), bytes(8)]));
    expect((await set.stop()).clean).toBe(true);
  });

  it('acknowledges nothing while a failure is not recorded, and everything once it is', async () => {
    const record = Promise.withResolvers<void>();
    const { set, replicas } = aSet(['a', 'b'], { recordFailure: () => record.promise });
    const [a, b] = replicas;
    if (a === undefined || b === undefined) throw new Error('two replicas');
    await set.target.flush();
    a.nextError = replicaIoError('EIO', 'bad disk');
    const write = set.target.write(0n, [bytes(1)]);
    const beside = set.target.write(4096n, [bytes(2)]);
    const flush = set.target.flush();
    expect(await stateOf(Promise.race([write, beside, flush]))).toBe('waits');
    expect(set.state).toMatchObject({ modes: new Map([['b', 'RW']]), unrecorded: [{ replica: 'a', last: false }] });
    expect(set.state.holdingSince).toBeTypeOf('number');
    const elsewhere = set.target.read(16_384n, 4096);
    expect(await stateOf(elsewhere)).toBe('done');
    expect(await stateOf(set.target.read(0n, 4096))).toBe('waits');
    record.resolve();
    expect(await stateOf(Promise.all([write, beside, flush]))).toBe('done');
    expect(set.state).toMatchObject({ unrecorded: [], holdingSince: undefined, pendingRequests: 0, pendingBytes: 0 });
    expect(b.content[0]).toBe(1);
  });

  it('says GENERATION_OVER by failing everything', async () => {
    const over = new AppError('GENERATION_OVER', 'generation 2 has begun');
    const { set, replicas } = aSet(['a', 'b'], { recordFailure: () => Promise.reject(over) });
    replicas[0]?.cut();
    const write = set.target.write(0n, [bytes(1)]);
    await expect(write).rejects.toMatchObject({ code: 'BLOCK_IO', details: { errno: 'EIO' } });
    await expect(set.target.read(0n, 512)).rejects.toThrow();
    expect(set.state.over?.cause).toBe(over);
  });

  it('ends with the last replica, and tries to record even that', async () => {
    const { set, replicas, recorded } = aSet(['a']);
    replicas[0]?.cut();
    await expect(set.target.write(0n, [bytes(1)])).rejects.toThrow('the last replica, a, has failed: connection lost');
    expect(recorded).toMatchObject([{ replica: 'a', last: true, cause: { kind: 'lost' } }]);
  });

  it('refuses what is not within the volume without asking a replica', async () => {
    const { set } = aSet(['a', 'b']);
    await expect(set.target.read(BigInt(sizeBytes), 1)).rejects.toMatchObject({ code: 'BLOCK_RANGE' });
    await expect(set.target.write(BigInt(sizeBytes - 1), [bytes(1, 2)])).rejects.toMatchObject({ code: 'BLOCK_RANGE' });
    expect(set.state.modes.size).toBe(2);
  });

  it('refuses replicas that are smaller than the volume, and none', () => {
    expect(() => aSet(['a'], { sizeBytes: BigInt(2 * sizeBytes) })).toThrow('has 65536 bytes, the volume 131072');
    expect(() => aSet([])).toThrow('1 to 30 replicas');
  });
});
