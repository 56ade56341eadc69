import { AppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import { serveTasks } from './serve-tasks.ts';

/** What the tests of the pool let a worker do. */
export type TestTask =
  | { kind: 'double'; number: number }
  | { kind: 'fill'; bytes: Uint8Array<SharedArrayBuffer>; value: number }
  | { kind: 'tell' }
  | { kind: 'wait'; on: Int32Array<SharedArrayBuffer> }
  | { kind: 'busy'; rounds: number }
  | { kind: 'later'; on: Int32Array<SharedArrayBuffer> }
  | { kind: 'fail' | 'system-error' | 'throw-text' | 'no-clone' | 'exit' | 'out-of-memory' | 'uncaught' };

/** With `fails` the program cannot start; with `exits` its thread ends before it does anything. */
export interface TestData {
  greeting?: string;
  fails?: boolean;
  exits?: boolean;
  /** How its close works: counted in the array, after its messages. */
  closing?: { counts: Int32Array<SharedArrayBuffer>; how: 'well' | 'fails' | 'never' | 'stuck' };
}

serveTasks<TestData | undefined, TestTask, unknown>((data) => {
  if (data?.fails) throw new AppError('NOT_BEGUN', 'the program cannot begin');
  if (data?.exits) process.exit(3);
  return { run: (task) => doTask(task, data), close: () => doClose(data?.closing) };
});

async function doClose(closing: TestData['closing']): Promise<void> {
  if (closing === undefined) return;
  Atomics.add(closing.counts, 0, 1);
  if (closing.how === 'fails') throw new AppError('NOT_CLOSED', 'the program cannot close');
  // A pending timer keeps the thread alive.
  if (closing.how === 'never') await systemClock.sleep(1e9);
  if (closing.how === 'stuck') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function doTask(task: TestTask, data: TestData | undefined): unknown {
  switch (task.kind) {
    case 'double':
      return task.number * 2;
    case 'fill':
      return task.bytes.fill(task.value).length;
    case 'tell':
      return { greeting: data?.greeting, flags: process.execArgv };
    case 'wait':
      return Atomics.wait(task.on, 0, 0);
    case 'later':
      return Atomics.waitAsync(task.on, 0, 0).value;
    case 'busy':
      return Array.from({ length: task.rounds }, (_, index) => Math.sqrt(index)).length;
    case 'fail':
      throw new AppError('VOLUME_FULL', 'no room', {
        retry: 'later',
        nextStep: 'Make room.',
        details: { path: 'a/b' },
        cause: Object.assign(new Error('write failed', { cause: 'a text' }), { code: 'ENOSPC' }),
      });
    case 'system-error':
      throw Object.assign(new TypeError('no such file'), { code: 'ENOENT' });
    case 'throw-text':
      throw 'a text';
    case 'no-clone':
      return () => {};
    case 'exit':
      return process.exit(7);
    case 'out-of-memory':
      return fillHeap();
    case 'uncaught':
      queueMicrotask(() => {
        throw new Error('nobody catches this');
      });
      return new Promise(() => {});
  }
}

function fillHeap(): never {
  const kept: unknown[] = [];
  for (;;) kept.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
}
