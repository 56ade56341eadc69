import { linkRefused, type ReplicaLink, replicaIoError } from '@lateen/block-engine';
import { AppError } from '@lateen/errors';
import { FakeClock, letWorkRun, ModelReplica, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { ReplicaFailure } from './failure.ts';
import type { ReplicaSetChange, ReplicaSetOptions } from './replica-set.ts';
import { startReplicaSet } from './start-replica-set.ts';

const sizeBytes = 64 * 1024;

/** A set over replicas that answer at once. `record` is how failures are recorded at the API server. */
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
  it('sends a write to all replicas without copying the bytes, and reads it back', async () => {
    const { set, replicas } = aSet(['a', 'b', 'c']);
    await set.target.write(8192n, [bytes(7), bytes(8)]);
    expect(replicas.map((replica) => [replica.content[8192], replica.content[12_288]])).toEqual([
      [7, 8],
      [7, 8],
      [7, 8],
    ]);
    expect(Buffer.concat(await set.target.read(8192n, 8192))).toEqual(Buffer.concat([bytes(7), bytes(8)]));
    expect((await set.stop(atLeisure)).clean).toBe(true);
  });

  it('acknowledges no write until a failure is recorded, and then all', async () => {
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

  it('leaves retries to the recorder: one call per failure, however long it takes', async () => {
    const record = Promise.withResolvers<void>();
    const signals: AbortSignal[] = [];
    const recordFailure = (_: ReplicaFailure, signal: AbortSignal) => {
      signals.push(signal);
      return record.promise;
    };
    const { set, clock, replicas } = aSet(['a', 'b'], { recordFailure });
    at(replicas, 0).cut();
    const write = set.target.write(0n, [bytes(1)]);
    await clock.advance(600_000);
    expect(await stateOf(write)).toBe('waits');
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    record.resolve();
    expect(await stateOf(write)).toBe('done');
  });

  it('ends when a failure can never be recorded', async () => {
    const { set, replicas } = aSet(['a', 'b'], { recordFailure: () => Promise.reject(new Error('the host stops')) });
    at(replicas, 0).cut();
    await expect(set.target.write(0n, [bytes(1)])).rejects.toMatchObject({ code: 'BLOCK_IO' });
    expect(set.state.over?.cause).toMatchObject({ message: 'the host stops' });
  });

  it('fails everything with GENERATION_OVER', async () => {
    const over = new AppError('GENERATION_OVER', 'generation 2 has begun');
    const { set, replicas } = aSet(['a', 'b'], { recordFailure: () => Promise.reject(over) });
    replicas[0]?.cut();
    const write = set.target.write(0n, [bytes(1)]);
    await expect(write).rejects.toMatchObject({ code: 'BLOCK_IO', details: { errno: 'EIO' } });
    await expect(set.target.read(0n, 512)).rejects.toThrow();
    expect(set.state.over?.cause).toBe(over);
  });

  it('ends with the last replica, and still tries to record its failure', async () => {
    const { set, replicas, recorded } = aSet(['a']);
    replicas[0]?.cut();
    await expect(set.target.write(0n, [bytes(1)])).rejects.toThrow('the last replica, a, has failed: connection lost');
    expect(recorded).toMatchObject([{ replica: 'a', last: true, cause: { kind: 'lost' } }]);
  });

  it('rejects a write and a flush for which its only replica has no room, and continues', async () => {
    const { set, replicas, recorded, clock } = aSet(['a']);
    const noRoom = () => replicaIoError('ENOSPC', 'disk full');
    await set.target.write(0n, [bytes(1)]);
    at(replicas, 0).nextError = noRoom();
    const refused = { code: 'BLOCK_IO', details: { errno: 'ENOSPC' }, message: expect.stringContaining('disk full') };
    await expect(set.target.write(4096n, [bytes(2)])).rejects.toMatchObject(refused);
    at(replicas, 0).nextError = noRoom();
    await expect(set.target.flush()).rejects.toMatchObject(refused);
    at(replicas, 0).nextError = noRoom();
    await expect(set.target.trim(0n, 4096)).rejects.toMatchObject(refused);
    expect(set.state).toMatchObject({
      ...{ modes: new Map([['a', 'RW']]), over: undefined, pendingRequests: 0, pendingBytes: 0 },
      refused: { replica: 'a', message: 'no room left: disk full', at: clock.now() },
    });
    expect(recorded).toEqual([]);
    expect(Buffer.concat(await set.target.read(0n, 4096))).toEqual(Buffer.from(bytes(1)));
    await set.target.write(4096n, [bytes(2)]);
    expect((await set.stop(atLeisure)).clean).toBe(true);
  });

  it('fails a replica without room while another one has room, and rejects what the other one has no room for either', async () => {
    const { set, replicas, recorded } = aSet(['a', 'b']);
    for (const replica of replicas) replica.nextError = replicaIoError('ENOSPC', `${replica.name} is full`);
    await expect(set.target.write(0n, [bytes(1)])).rejects.toMatchObject({ details: { errno: 'ENOSPC' } });
    expect(recorded).toMatchObject([{ replica: 'a', last: false, cause: { kind: 'no-room' } }]);
    expect(set.state).toMatchObject({ modes: new Map([['b', 'RW']]), refused: { replica: 'b' } });
    await set.target.write(0n, [bytes(1)]);
  });

  it('returns no data of a rejected write from a replica that has left meanwhile', async () => {
    const clock = new FakeClock();
    const [a, b] = [aReplica('a', clock), aReplica('b', clock)];
    const set = startReplicaSet(
      {
        ...{ volume: 'v', generation: 1, sizeBytes: BigInt(sizeBytes), clock, random: seededRandom() },
        replicas: [a, b].map((replica) => ({ name: replica.name, link: replica.connect(0) })),
        recordFailure: async () => {},
        log: recordingLog(),
      },
      { pickReader: (members) => members.at(-1) },
    );
    a.nextError = replicaIoError('ENOSPC', 'disk full');
    const answer = a.nextHangs();
    const write = set.target.write(0n, [bytes(1)]);
    const read = set.target.read(0n, 4096);
    await letWorkRun();
    expect(b.content[0]).toBe(1);
    await set.drop('b', { kind: 'evicted', message: 'asked for' });
    answer();
    await expect(write).rejects.toMatchObject({ details: { errno: 'ENOSPC' } });
    expect(Buffer.concat(await read)).toEqual(Buffer.from(bytes(0)));
  });

  it('reports requests without room once a minute, however many there are', async () => {
    const { set, replicas, clock } = aSet(['a']);
    const told: string[] = [];
    void (async () => {
      for await (const { kind } of set.changes) told.push(kind);
    })();
    const refuse = async () => {
      at(replicas, 0).nextError = replicaIoError('ENOSPC', 'disk full');
      await expect(set.target.write(0n, [bytes(1)])).rejects.toThrow('has no room');
    };
    await refuse();
    await refuse();
    await clock.advance(60_000);
    await refuse();
    await letWorkRun();
    expect(told).toEqual(['refused', 'refused']);
  });

  it('drops a replica that is being rebuilt when it may have a rejected write', async () => {
    const { set, replicas, recorded, clock } = aSet(['a']);
    const resume = await set.pause({ maxMs: 1_000, signal: new AbortController().signal });
    const added = aReplica('c', clock);
    set.addWriting('c', added.connect(0), { widenBytes: 4096 });
    await resume();
    at(replicas, 0).nextError = replicaIoError('ENOSPC', 'disk full');
    await expect(set.target.write(0n, [bytes(1)])).rejects.toMatchObject({ details: { errno: 'ENOSPC' } });
    expect(recorded).toMatchObject([{ replica: 'c', last: false, cause: { kind: 'differs' } }]);
    expect(set.state.modes).toEqual(new Map([['a', 'RW']]));
  });

  it('keeps its only replica when a flush before a new link has no room', async () => {
    const { set, replicas } = aSet(['a']);
    const resume = await set.pause({ maxMs: 1_000, signal: new AbortController().signal });
    at(replicas, 0).nextError = replicaIoError('ENOSPC', 'disk full');
    const open = () => Promise.reject(new Error('nobody opens it'));
    await expect(set.relink('a', open)).rejects.toMatchObject({ details: { errno: 'ENOSPC' } });
    await resume();
    await set.target.write(0n, [bytes(1)]);
    expect(set.state.modes).toEqual(new Map([['a', 'RW']]));
  });

  it('rejects a request outside the volume without asking a replica', async () => {
    const { set } = aSet(['a', 'b']);
    await expect(set.target.read(BigInt(sizeBytes), 1)).rejects.toMatchObject({ code: 'BLOCK_RANGE' });
    await expect(set.target.write(BigInt(sizeBytes - 1), [bytes(1, 2)])).rejects.toMatchObject({ code: 'BLOCK_RANGE' });
    expect(set.state.modes.size).toBe(2);
  });

  it('rejects replicas that are smaller than the volume, and an empty list', () => {
    expect(() => aSet(['a'], { sizeBytes: BigInt(2 * sizeBytes) })).toThrow('has 65536 bytes, the volume 131072');
    expect(() => aSet([])).toThrow('1 to 30 replicas');
  });
});

const atLeisure = { signal: new AbortController().signal };
const soon = { maxMs: 1_000, signal: new AbortController().signal };

/** A replica by index; the tests know how many exist. */
function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new RangeError(`no element ${index}`);
  return found;
}

describe('limits', () => {
  it('admit requests and bytes up to the limit, and the others wait in order', async () => {
    const seen: [number, number][] = [];
    const { set, replicas } = aSet(['a'], {
      limits: { requestsMax: 3, bytesMax: 8192, waitingMax: 4 },
      metrics: { pending: (requests, held) => void seen.push([requests, held]) },
    });
    at(replicas, 0).isHung = true;
    const writes = [0, 1, 2, 3, 4, 5, 6].map((i) => set.target.write(BigInt(i * 4096), [bytes(i)]).catch((e) => e));
    expect(set.state).toMatchObject({ pendingRequests: 6, pendingBytes: 8192 });
    expect(seen.every(([, held]) => held <= 8192)).toBe(true);
    expect(await at(writes, 6)).toMatchObject({ code: 'BLOCK_IO', details: { errno: 'ENOMEM' } });
    await set.stop({ signal: AbortSignal.abort() });
    expect(set.state).toMatchObject({ pendingRequests: 0, pendingBytes: 0 });
  });
});

describe('a replica that no longer answers', () => {
  it('is not read while it is slow, and fails after the reply timeout', async () => {
    const { set, clock, replicas, recorded } = aSet(['a', 'b'], {
      limits: { replyTimeoutMs: 8_000 },
    });
    await set.target.flush();
    at(replicas, 0).isHung = true;
    const write = set.target.write(0n, [bytes(1)]);
    await clock.advance(4_000);
    expect(await stateOf(set.target.read(8192n, 512))).toBe('done');
    expect([...set.state.modes.keys()]).toEqual(['a', 'b']);
    await clock.advance(6_000);
    expect(recorded).toMatchObject([{ replica: 'a', cause: { kind: 'timeout', message: 'no answer for 9s' } }]);
    expect(await stateOf(write)).toBe('done');
  });

  it('does not fail when this process itself was suspended', async () => {
    const { set, clock, replicas } = aSet(['a', 'b']);
    at(replicas, 0).isHung = true;
    const write = set.target.write(0n, [bytes(1)]);
    // All timers fire at once, as after a suspended machine: they find a clock that has jumped.
    const monotonic = clock.monotonicMs.bind(clock);
    clock.monotonicMs = () => monotonic() + 60_000;
    await clock.advance(1_000);
    expect([...set.state.modes.keys()]).toEqual(['a', 'b']);
    await clock.advance(1_000);
    expect([...set.state.modes.keys()]).toEqual(['b']);
    expect(await stateOf(write)).toBe('done');
  });
});

describe('the read lease', () => {
  it('ends when one member of the recorded set has not answered in time, and returns with its answer', async () => {
    const { set, clock, replicas } = aSet(['a', 'b'], {
      limits: { replyTimeoutMs: 30_000, leaseMs: 8_000 },
      recordFailure: () => new Promise(() => {}),
    });
    expect(await stateOf(set.target.read(0n, 512))).toBe('done');
    await clock.advance(60_000);
    expect(await stateOf(set.target.read(0n, 512))).toBe('done');
    at(replicas, 1).isHung = true;
    await clock.advance(7_000);
    expect(await stateOf(set.target.read(0n, 512))).toBe('done');
    await clock.advance(2_000);
    const late = set.target.read(0n, 512);
    expect(await stateOf(late)).toBe('waits');
    at(replicas, 1).isHung = false;
    at(replicas, 1).cut();
    await clock.advance(1_000);
    // The replica has left, but its failure is not recorded: it still counts.
    expect(await stateOf(late)).toBe('waits');
  });
});

describe('pause', () => {
  it('waits for running requests, holds new ones, and rejects a second pause', async () => {
    const { set, replicas, clock } = aSet(['a', 'b']);
    await expect(set.relink('a', () => Promise.reject(new Error('no')))).rejects.toMatchObject({ code: 'NOT_PAUSED' });
    const first = set.target.write(0n, [bytes(1)]);
    const resume = await set.pause(soon);
    expect(await stateOf(first)).toBe('done');
    const held = [set.target.write(0n, [bytes(2)]), set.target.read(0n, 512), set.target.flush()];
    expect(await stateOf(Promise.race(held))).toBe('waits');
    await clock.advance(900);
    expect(replicas.flatMap(({ links }) => Array.from(links, ({ pending }) => pending))).toEqual([0, 0]);
    await expect(set.pause(soon)).rejects.toMatchObject({ code: 'PAUSED_ALREADY' });
    expect(set.state.paused).toBe(true);
    await resume();
    await resume();
    expect(await stateOf(Promise.all(held))).toBe('done');
    expect(set.state.paused).toBe(false);
  });

  it('resumes by itself after its timeout, and reports that', async () => {
    const { set, clock } = aSet(['a']);
    const resume = await set.pause(soon);
    const write = set.target.write(0n, [bytes(2)]);
    await clock.advance(1_000);
    expect(await stateOf(write)).toBe('done');
    await expect(resume()).rejects.toMatchObject({ code: 'PAUSE_EXPIRED' });
    await expect(set.pause(soon)).resolves.toBeTypeOf('function');
  });

  it('fails when a request does not end, and requests continue', async () => {
    const { set, clock, replicas } = aSet(['a', 'b']);
    await set.target.flush();
    at(replicas, 1).isHung = true;
    const write = set.target.write(0n, [bytes(1)]);
    const pause = set.pause(soon);
    const failed = expect(pause).rejects.toMatchObject({ code: 'PAUSE_TIMEOUT', retry: 'soon' });
    await clock.advance(1_000);
    await failed;
    expect(await stateOf(set.target.read(16_384n, 512))).toBe('done');
    await clock.advance(10_000);
    expect(await stateOf(write)).toBe('done');
  });
});

describe('a replica that is being rebuilt', () => {
  it('gets whole units while layers are missing, and is read only after it is recorded, like a later failure', async () => {
    const order: string[] = [];
    const { set, clock, replicas } = aSet(['a'], {
      recordFailure: async ({ replica }) => void order.push(`${replica} failed`),
    });
    await set.target.write(0n, [bytes(1)]);
    const c = aReplica('c', clock);
    const resume = await set.pause(soon);
    const frozen = at(replicas, 0).content;
    set.addWriting('c', c.connect(0), { widenBytes: 4096 });
    await resume();
    await set.target.write(512n, [bytes(2, 512)]);
    await set.target.trim(1024n, 512);
    expect(Buffer.compare(c.readBytes(0, 4096), at(replicas, 0).readBytes(0, 4096))).toBe(0);
    expect(set.state.modes).toEqual(
      new Map([
        ['a', 'RW'],
        ['c', 'WO'],
      ]),
    );
    const resumeAgain = await set.pause(soon);
    await set.relink('c', async () => {
      c.setBase(frozen);
      return c.connect(0);
    });
    const recorded = Promise.withResolvers<void>();
    const promotion = set.promote('c', () => recorded.promise.then(() => void order.push('c healthy')));
    c.cut();
    expect(await stateOf(promotion)).toBe('waits');
    const refused = expect(promotion).rejects.toMatchObject({ code: 'NO_SUCH_REPLICA' });
    recorded.resolve();
    await refused;
    await resumeAgain();
    await set.target.flush();
    expect(order).toEqual(['c healthy', 'c failed']);
  });

  it('fails when its promotion is not recorded, or when it is not back at the end of the pause', async () => {
    const { set, clock, recorded } = aSet(['a', 'b']);
    const c = aReplica('c', clock);
    const resume = await set.pause(soon);
    set.addWriting('c', c.connect(0), { widenBytes: 4096 });
    expect(() => set.addWriting('c', c.connect(0), { widenBytes: 4096 })).toThrow('is in the set');
    await expect(set.promote('c', () => Promise.reject(new Error('conflict')))).rejects.toThrow('conflict');
    const open = Promise.withResolvers<never>();
    const relink = set.relink('b', () => open.promise);
    relink.catch(() => {});
    await clock.advance(1_000);
    await expect(resume()).rejects.toMatchObject({ code: 'PAUSE_EXPIRED' });
    expect(recorded.map(({ replica, cause }) => [replica, cause.kind])).toEqual([
      ['c', 'not-promoted'],
      ['b', 'not-back'],
    ]);
    expect([...set.state.modes.keys()]).toEqual(['a']);
  });
});

describe('a replica that rejects this engine', () => {
  it('fails alone; the record of its failure decides whether the generation is over', async () => {
    const { set, replicas, recorded } = aSet(['a', 'b']);
    at(replicas, 0).nextError = linkRefused('not served');
    await set.target.write(0n, [bytes(1)]);
    const resume = await set.pause(soon);
    expect(recorded).toMatchObject([{ replica: 'a', cause: { kind: 'refused' }, last: false }]);
    await resume();
    expect(set.state).toMatchObject({ over: undefined, modes: new Map([['b', 'RW']]) });
  });

  it('fails alone as well when its new link is rejected', async () => {
    const { set, recorded } = aSet(['a', 'b']);
    const resume = await set.pause(soon);
    await expect(set.relink('a', () => Promise.reject(linkRefused('not served')))).rejects.toThrow('not served');
    await resume();
    expect(recorded).toMatchObject([{ replica: 'a', cause: { kind: 'refused' } }]);
    expect(set.state.over).toBeUndefined();
  });

  it('ends the engine when the record says that the generation is over', async () => {
    const over = new AppError('GENERATION_OVER', 'generation 2 has begun');
    const { set, replicas } = aSet(['a', 'b'], { recordFailure: () => Promise.reject(over) });
    at(replicas, 0).promise(2);
    await expect(set.target.write(0n, [bytes(1)])).rejects.toMatchObject({ code: 'BLOCK_IO' });
    expect(set.state.over?.cause).toBe(over);
  });
});

describe('growth', () => {
  it('loses no acknowledged write when a replica is killed and restarted before its new link exists', async () => {
    const { set, clock, replicas } = aSet(['a', 'b']);
    const killed = new ModelReplica({ ...at(replicas, 0).options, clock, chance: () => 0.9 });
    const resume = await set.pause(soon);
    await set.relink('a', async () => killed.connect(0));
    await resume();
    await set.target.write(0n, [bytes(7)]);
    const resumeAgain = await set.pause(soon);
    await set.relink('a', async () => {
      killed.losePower();
      return killed.connect(0);
    });
    await resumeAgain();
    expect([set.state.modes.get('a'), killed.content[0]]).toEqual(['RW', 7]);
  });

  it('takes effect when all links have the new size', async () => {
    const { set, clock } = aSet(['a']);
    const larger = new ModelReplica({
      name: 'a',
      sizeBytes: 2 * sizeBytes,
      unitBytes: 4096,
      clock,
      later: (deliver) => queueMicrotask(deliver),
      chance: () => 0,
    });
    expect(() => set.resize(BigInt(2 * sizeBytes))).toThrow('only while the engine is paused');
    const resume = await set.pause(soon);
    expect(() => set.resize(BigInt(2 * sizeBytes))).toThrow('has 65536 bytes, the volume 131072');
    await set.relink('a', async () => larger.connect(0));
    set.resize(BigInt(2 * sizeBytes));
    await resume();
    await set.target.write(BigInt(sizeBytes), [bytes(9)]);
    expect([set.target.sizeBytes, larger.content[sizeBytes]]).toEqual([BigInt(2 * sizeBytes), 9]);
  });
});

describe('after an unclean stop', () => {
  async function* everything() {
    yield { startBytes: 0n, lengthBytes: BigInt(sizeBytes) };
  }

  it('reads from the primary, makes the others equal, and is not clean before that', async () => {
    const { set, replicas } = aSet(['a', 'b'], {
      comparison: { primary: 'b', extents: everything },
      limits: { compareBytes: 4096 },
    });
    at(replicas, 0).writeBytes(8192, bytes(1), true);
    at(replicas, 1).writeBytes(8192, bytes(2), true);
    at(replicas, 0).writeBytes(40_960, bytes(3), true);
    const changes: ReplicaSetChange['kind'][] = [];
    void (async () => {
      for await (const { kind } of set.changes) changes.push(kind);
    })();
    expect(at(await set.target.read(8192n, 512), 0)[0]).toBe(2);
    expect([at(replicas, 0).content[8192], set.state.comparing]).toEqual([2, true]);
    const resume = await set.pause(soon);
    const c = aReplica('c', new FakeClock());
    expect(() => set.addWriting('c', c.connect(0), { widenBytes: 4096 })).toThrow('when all others are equal');
    await resume();
    await stateOf(new Promise(() => {}));
    for (let turn = 0; turn < 50 && set.state.comparing; turn++) await letWorkRun();
    expect(changes).toContain('compared');
    expect(Buffer.compare(at(replicas, 0).content, at(replicas, 1).content)).toBe(0);
    expect((await set.stop(atLeisure)).clean).toBe(true);
  });

  it('reads a long area in pieces, with a limited number in parallel, until it is compared', async () => {
    const clock = new FakeClock();
    const long: number[] = [];
    let atOnce = 0;
    let most = 0;
    const counted = (link: ReplicaLink): ReplicaLink =>
      new Proxy(link, {
        get: (_, key) => {
          const value = link[key as keyof ReplicaLink];
          if (key !== 'read') return typeof value === 'function' ? value.bind(link) : value;
          return async (from: bigint, length: number) => {
            long.push(length);
            most = Math.max(most, ++atOnce);
            const data = await link.read(from, length);
            atOnce -= 1;
            return data;
          };
        },
      });
    const replicas = ['a', 'b'].map((name) => aReplica(name, clock));
    replicas.forEach((replica, i) => {
      for (let at = 0; at < sizeBytes; at += 4096) replica.writeBytes(at, bytes(at / 4096 + i * 100), true);
    });
    const { set } = aSet([], {
      clock,
      replicas: replicas.map((replica) => ({ name: replica.name, link: counted(replica.connect(0)) })),
      // The comparison in the background finds no work and does not end.
      comparison: {
        primary: 'b',
        extents: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
      },
      limits: { compareBytes: 4096, comparedAtOnceMax: 2 },
    });
    const reads = [0n, 16_384n, 32_768n, 49_152n].map((from) => set.target.read(from, 16_384));
    const whole = (await Promise.all(reads)).flat();
    expect([Math.max(...long), most]).toEqual([4096, 2 * 2]);
    expect(Buffer.compare(Buffer.concat(whole), at(replicas, 1).content)).toBe(0);
    expect(Buffer.compare(at(replicas, 0).content, at(replicas, 1).content)).toBe(0);
    expect(set.state.pendingBytes).toBe(0);
  });
});

describe('stop', () => {
  it('waits for running requests, accepts no new ones, and is clean when all replicas have every write', async () => {
    const { set, replicas } = aSet(['a', 'b']);
    const write = set.target.write(0n, [bytes(5)]);
    const stopping = set.stop(atLeisure);
    await expect(set.target.write(0n, [bytes(6)])).rejects.toMatchObject({ details: { errno: 'ESHUTDOWN' } });
    expect(await stopping).toEqual({ clean: true });
    await write;
    expect(replicas.map((replica) => [replica.afterPowerLoss()[0], replica.links.size])).toEqual([
      [5, 0],
      [5, 0],
    ]);
    expect(await set.stop(atLeisure)).toEqual({ clean: false });
  });

  it('is not clean when a failure cannot be recorded', async () => {
    const { set, clock, replicas } = aSet(['a', 'b'], { recordFailure: () => new Promise(() => {}) });
    at(replicas, 0).cut();
    const write = set.target.write(0n, [bytes(5)]);
    const failed = expect(write).rejects.toMatchObject({ code: 'BLOCK_IO' });
    const stopping = set.stop({ signal: clock.deadline(5_000) });
    await clock.advance(5_000);
    expect(await stopping).toEqual({ clean: false });
    await failed;
  });
});

describe('drop', () => {
  it('records the drop like a failure, and rejects it for the last replica', async () => {
    const { set, recorded } = aSet(['a', 'b']);
    await set.drop('a', { kind: 'evicted', message: 'its node is drained' });
    expect(recorded).toMatchObject([{ replica: 'a', cause: { kind: 'evicted' } }]);
    await expect(set.drop('b', { kind: 'evicted', message: 'no' })).rejects.toMatchObject({ code: 'LAST_REPLICA' });
    await expect(set.drop('a', { kind: 'evicted', message: 'no' })).rejects.toMatchObject({ code: 'NO_SUCH_REPLICA' });
  });
});
