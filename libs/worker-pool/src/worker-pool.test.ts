import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, type LogFields, type Logger, silentLogger, systemClock } from '@lateen/kernel';
import { threadProgram } from '@lateen/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { programBeside } from './program-beside.ts';
import type { TestData, TestTask } from './program-of-tests.ts';
import { type WorkerPool, workerPool } from './worker-pool.ts';

let programs: string;
let program: URL;
beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), 'lateen-worker-pool-'));
  program = await threadProgram(new URL('./program-of-tests.ts', import.meta.url), programs);
});
afterAll(() => rmSync(programs, { recursive: true }));

const { signal } = new AbortController();
const pools: WorkerPool<TestTask, unknown>[] = [];

interface PoolOptions {
  size?: number;
  data?: TestData;
  heapMB?: number;
  clock?: Clock;
  log?: Logger;
}

function pool(options: PoolOptions = {}): WorkerPool<TestTask, unknown> {
  const made = workerPool<TestTask, unknown>({
    program,
    size: 1,
    clock: systemClock,
    log: silentLogger,
    ...options,
  });
  pools.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((it) => it.close()));
});

/** A task that holds a worker until `go` is called. */
function held(of: WorkerPool<TestTask, unknown>) {
  const on = new Int32Array(new SharedArrayBuffer(4));
  const done = of.run({ kind: 'wait', on }, signal);
  return {
    done,
    go: () => {
      Atomics.store(on, 0, 1);
      Atomics.notify(on, 0);
    },
  };
}

describe('workerPool', () => {
  it('runs more tasks than it has workers, each once', async () => {
    const numbers = Array.from({ length: 100 }, (_, index) => index);
    const made = pool({ size: 2 });
    const results = await Promise.all(numbers.map((number) => made.run({ kind: 'double', number }, signal)));
    expect(results).toEqual(numbers.map((number) => number * 2));
  });

  it('shares memory with a task instead of copying it', async () => {
    const bytes = new Uint8Array(new SharedArrayBuffer(1000));
    expect(await pool().run({ kind: 'fill', bytes, value: 7 }, signal)).toBe(1000);
    expect(bytes[999]).toBe(7);
  });

  it('passes its data to the program, but not the flags of the process', async () => {
    const told = await pool({ data: { greeting: 'hello' } }).run({ kind: 'tell' }, signal);
    expect(told).toEqual({ greeting: 'hello', flags: [] });
  });

  it('measures the CPU time of its workers', async () => {
    const made = pool();
    await made.run({ kind: 'busy', rounds: 1_000_000 }, signal);
    const before = made.cpuMs();
    await made.run({ kind: 'busy', rounds: 1_000_000 }, signal);
    expect(before).toBeGreaterThan(0);
    expect(made.cpuMs()).toBeGreaterThan(before);
  });
});

describe('programBeside', () => {
  it.each([
    ['file:///checkout/apps/mover/src/compose.ts', 'file:///checkout/apps/mover/src/worker.ts'],
    ['file:///usr/local/lib/lateen/bin/mover.mjs', 'file:///usr/local/lib/lateen/bin/worker.mjs'],
  ])('beside %s is %s', (here, program) => expect(programBeside('worker', here).href).toBe(program));
});

describe('an error of a task', () => {
  it('stays an AppError with all its fields and causes', async () => {
    const error = await pool()
      .run({ kind: 'fail' }, signal)
      .catch((it: unknown) => it);
    expect(error).toMatchObject({
      name: 'AppError',
      code: 'VOLUME_FULL',
      message: 'no room',
      retry: 'later',
      nextStep: 'Make room.',
      details: { path: 'a/b' },
      cause: { message: 'write failed', code: 'ENOSPC', cause: { message: 'a text' } },
    });
  });

  it.each([
    ['system-error', { name: 'TypeError', message: 'no such file', code: 'ENOENT' }],
    ['throw-text', { message: 'a text' }],
    ['no-clone', { name: 'DataCloneError' }],
  ] as const)('of kind %s is returned, and the worker continues', async (kind, expected) => {
    const made = pool();
    await expect(made.run({ kind }, signal)).rejects.toMatchObject(expected);
    expect(await made.run({ kind: 'double', number: 4 }, signal)).toBe(8);
  });

  it('for a task that cannot be sent is returned at once', async () => {
    const task = { kind: 'double', number: (() => {}) as unknown as number } as const;
    await expect(pool().run(task, signal)).rejects.toMatchObject({ name: 'DataCloneError' });
  });

  it('is the start error when the program cannot start', async () => {
    const made = pool({ data: { fails: true } });
    for (const number of [1, 2])
      await expect(made.run({ kind: 'double', number }, signal)).rejects.toMatchObject({ code: 'NOT_BEGUN' });
  });
});

describe('a thread that dies', () => {
  it.each([
    ['exit', /ended with exit code 7/, {}],
    ['uncaught', /because of an error that nothing caught/, { message: 'nobody catches this' }],
    ['out-of-memory', /needed more memory than its 20 MiB/, { code: 'ERR_WORKER_OUT_OF_MEMORY' }],
  ] as const)('(%s) fails its task and is replaced', async (kind, message, cause) => {
    const made = pool({ heapMB: 20 });
    const error = await made.run({ kind }, signal).catch((it: unknown) => it);
    expect(error).toMatchObject({ code: 'WORKER_DIED', message: expect.stringMatching(message) });
    expect((error as Error).cause ?? {}).toMatchObject(cause);
    expect(await made.run({ kind: 'double', number: 2 }, signal)).toBe(4);
  });

  it('does not affect tasks that wait for a thread', async () => {
    const made = pool();
    const gone = [made.run({ kind: 'exit' }, signal), made.run({ kind: 'double', number: 1 }, signal)];
    const waiting = made.run({ kind: 'double', number: 3 }, signal);
    expect((await Promise.allSettled(gone)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await waiting).toBe(6);
  });

  it('repeatedly, without finishing a task, ends the pool', async () => {
    const made = pool({ size: 2, data: { exits: true } });
    const runs = Array.from({ length: 12 }, (_, number) => made.run({ kind: 'double', number }, signal));
    for (const { reason } of (await Promise.allSettled(runs)) as PromiseRejectedResult[])
      expect(reason).toMatchObject({ code: 'WORKER_DIED' });
    await expect(made.run({ kind: 'tell' }, signal)).rejects.toMatchObject({ code: 'WORKER_DIED' });
  });
});

describe('abort and close', () => {
  it('remove waiting tasks and affect nothing else', async () => {
    const made = pool();
    const first = held(made);
    const second = held(made);
    const canceled = new AbortController();
    const waiting = made.run({ kind: 'double', number: 1 }, canceled.signal);
    canceled.abort(new Error('canceled'));
    await expect(waiting).rejects.toThrow('canceled');
    await expect(made.run({ kind: 'tell' }, canceled.signal)).rejects.toThrow('canceled');
    const closed = made.close();
    first.go();
    second.go();
    expect(await Promise.all([first.done, second.done])).toHaveLength(2);
    await closed;
    await expect(made.run({ kind: 'tell' }, signal)).rejects.toMatchObject({ code: 'WORKER_POOL_CLOSED' });
  });

  it('reject waiting tasks when the pool is closed', async () => {
    const made = pool();
    const running = [held(made), held(made)];
    const waiting = made.run({ kind: 'tell' }, signal);
    const closed = made.close();
    await expect(waiting).rejects.toMatchObject({ code: 'WORKER_POOL_CLOSED' });
    for (const it of running) it.go();
    await closed;
  });
});

describe('the end of a thread', () => {
  const counted = (how: 'well' | 'fails' | 'never' | 'stuck') => {
    const counts = new Int32Array(new SharedArrayBuffer(4));
    return { counts, data: { closing: { counts, how } } };
  };
  /** Waits a limited time for a thread to end by itself, and records the output. */
  const waiting = (deadline: () => AbortSignal) => {
    const warned: string[] = [];
    const warn = (_: LogFields, message: string) => void warned.push(message);
    const log: Logger = { ...silentLogger, warn };
    return { warned, log, clock: { ...systemClock, deadline } };
  };
  const patient = () => waiting(() => signal);
  const impatient = () => waiting(() => systemClock.deadline(100));

  it('is requested: each program closes once, after its tasks', async () => {
    const { counts, data } = counted('well');
    const { warned, ...ports } = patient();
    const made = pool({ size: 2, data, ...ports });
    const on = new Int32Array(new SharedArrayBuffer(4));
    const running = made.run({ kind: 'later', on }, signal);
    await made.run({ kind: 'double', number: 1 }, signal);
    const closed = made.close();
    expect(await Promise.race([closed.then(() => 'closed'), systemClock.sleep(50).then(() => 'waiting')])).toBe(
      'waiting',
    );
    expect(counts[0]).toBe(0);
    // A thread that has not started the task yet finds it in its queue.
    Atomics.store(on, 0, 1);
    Atomics.notify(on, 0);
    expect(['ok', 'not-equal']).toContain(await running);
    await closed;
    expect(counts[0]).toBe(2);
    expect(warned).toEqual([]);
  });

  it('is graceful even before it was ready: its start is not interrupted', async () => {
    const { counts, data } = counted('well');
    const { warned, ...ports } = patient();
    await pool({ size: 3, data, ...ports }).close();
    expect(counts[0]).toBe(3);
    expect(warned).toEqual([]);
  });

  it('is forced for a program that does not close', async () => {
    for (const how of ['never', 'stuck'] as const) {
      const { counts, data } = counted(how);
      const { warned, ...ports } = impatient();
      const made = pool({ data, ...ports });
      await made.run({ kind: 'tell' }, signal);
      await made.close();
      expect(counts[0]).toBe(1);
      expect(warned).toEqual(['a worker thread does not end by itself; it is terminated']);
    }
  });

  it('is reported when the program cannot close, and happens anyway', async () => {
    const { data } = counted('fails');
    const { warned, ...ports } = patient();
    const made = pool({ data, ...ports });
    await made.run({ kind: 'tell' }, signal);
    await made.close();
    expect(warned).toEqual(['a worker thread could not give back all that it had']);
  });

  it('does not count as a crash when the program could not start', async () => {
    const { warned, ...ports } = patient();
    await pool({ data: { fails: true }, ...ports }).close();
    expect(warned).toEqual([]);
  });
});
