import { AppError, describeError } from '@lateen/errors';
import { settledOrAborted } from '@lateen/kernel';
import { FakeClock, letWorkRun, recordingLog, seededRandom } from '@lateen/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { pluginLimitsDefault } from '../limits.ts';
import { FakeProcess } from './fake-process.ts';
import type { PluginCall, PluginStream } from './plugin-call.ts';
import { Supervisor, type SupervisorOptions } from './supervisor.ts';

const limits = { ...pluginLimitsDefault, callsInFlightMax: 4, callsWaitingMax: 3, uselessStartsMax: 3 };
const never = new AbortController().signal;

let clock: FakeClock;
let processes: FakeProcess[];
let log: ReturnType<typeof recordingLog>;
beforeEach(() => {
  clock = new FakeClock();
  processes = [];
  log = recordingLog();
});

function supervisorOf(options: Partial<SupervisorOptions> = {}): Supervisor {
  const start = async () => {
    const process = new FakeProcess();
    processes.push(process);
    return process;
  };
  return new Supervisor({ program: 'velero-plugin-x', start, clock, random: seededRandom(1), log, limits, ...options });
}

const callOf = <T>(run: PluginCall<T>['run'], more: Partial<PluginCall<T>> = {}): PluginCall<T> => ({
  plugin: 'example.io/x',
  method: 'Execute',
  repeatable: true,
  run,
  ...more,
});
/** Waits like a call without a response: until the signal aborts or the process has ended. */
const hang: PluginCall<never>['run'] = async (process, { signal }) => {
  await settledOrAborted(new Promise(() => {}), AbortSignal.any([signal, process.ended]));
  throw new AppError('UNAVAILABLE', 'execute: connection dropped');
};
const indexOf = (process: unknown) => processes.indexOf(process as FakeProcess);
const failureOf = (work: Promise<unknown>) => work.then(() => undefined, describeError);

describe('the process of a plugin program', () => {
  it('is started for the first call, and reused for later ones', async () => {
    const supervisor = supervisorOf();
    expect(processes).toHaveLength(0);
    const answers = [0, 1, 2].map(() =>
      supervisor.call(
        callOf(async (process) => indexOf(process)),
        never,
      ),
    );
    expect(await Promise.all(answers)).toEqual([0, 0, 0]);
  });

  it('runs calls up to the limit in parallel, queues up to the limit, and rejects one more', async () => {
    const supervisor = supervisorOf();
    const release = Promise.withResolvers<void>();
    let begun = 0;
    const call = callOf(async () => {
      begun += 1;
      await release.promise;
    });
    const calls = Array.from({ length: 7 }, () => supervisor.call(call, never));
    await letWorkRun();
    expect(begun).toBe(4);
    expect(await failureOf(supervisor.call(call, never))).toBe('3 calls wait for plugin program velero-plugin-x');
    release.resolve();
    await Promise.all(calls);
    expect(begun).toBe(7);
  });

  it('gets its initial calls first, whenever it is started again', async () => {
    const prepared: number[] = [];
    const prepare = callOf(async (process) => void prepared.push(indexOf(process)), { method: 'Init' });
    const supervisor = supervisorOf({ prepare });
    await supervisor.call(
      callOf(async () => {}),
      never,
    );
    processes[0]?.end({ exitCode: 1 });
    await supervisor.call(
      callOf(async () => {}),
      never,
    );
    expect(prepared).toEqual([0, 1]);
  });

  it('ends with its supervisor, and running calls end with it', async () => {
    const supervisor = supervisorOf();
    const failure = failureOf(supervisor.call(callOf(hang), never));
    await letWorkRun();
    await supervisor.stop();
    expect(await failure).toBe('plugin program velero-plugin-x is not needed any more');
    expect(processes[0]?.ended.aborted).toBe(true);
  });

  it('reports how long it was idle', async () => {
    const supervisor = supervisorOf();
    const call = failureOf(supervisor.call(callOf(hang), clock.deadline(5_000)));
    await clock.advance(4_000);
    expect(supervisor.idleMs).toBe(0);
    await clock.advance(2_000);
    await call;
    await clock.advance(3_000);
    expect(supervisor.idleMs).toBeGreaterThanOrEqual(3_000);
  });
});

describe('a process that crashes', () => {
  it('fails only the call that crashes it: all others are repeated, each in its own process', async () => {
    const supervisor = supervisorOf();
    const seen: string[] = [];
    const item = (name: string, kills: boolean) =>
      supervisor.call(
        callOf(async (process, options) => {
          seen.push(`${name} in ${indexOf(process)}`);
          if (kills) {
            await letWorkRun();
            processes[indexOf(process)]?.end({ exitCode: 2, stderr: 'panic: boom\n' });
          }
          if (kills || indexOf(process) === 0) return hang(process, options);
          return name;
        }),
        never,
      );
    const ends = await Promise.allSettled([item('a', false), item('b', true), item('c', false)]);
    expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : describeError(end.reason)))).toEqual([
      'a',
      'the program of plugin example.io/x ended during Execute, and again when it was started for this call alone: plugin program fake ended (exit code 2): panic: boom',
      'c',
    ]);
    expect(seen.slice(0, 3)).toEqual(['a in 0', 'b in 0', 'c in 0']);
    expect(seen.slice(3).map((line) => line.split(' in ')[1])).toEqual(['1', '2', '3']);
    expect(log.messages('warn')).toHaveLength(3);
    expect(processes.slice(1).every(({ ended }) => ended.aborted)).toBe(true);
  });

  it('fails a call that must not be repeated', async () => {
    const supervisor = supervisorOf();
    const failure = failureOf(supervisor.call(callOf(hang, { repeatable: false }), never));
    await letWorkRun();
    processes[0]?.end({ endedBy: 'SIGKILL' });
    expect(await failure).toBe(
      'the program of plugin example.io/x ended during Execute: plugin program fake ended (signal SIGKILL)',
    );
    expect(processes).toHaveLength(1);
  });

  it('is restarted with growing delays when it answers nothing, and finally not at all', async () => {
    const startedAtMs: number[] = [];
    const start = async () => {
      startedAtMs.push(clock.monotonicMs());
      throw new AppError('PLUGIN_PROGRAM_NOT_STARTED', 'plugin program /plugins/x cannot be used');
    };
    const supervisor = supervisorOf({ start });
    for (let call = 0; call < 3; call++) {
      const failure = failureOf(
        supervisor.call(
          callOf(async () => {}),
          never,
        ),
      );
      await clock.advance(60_000);
      expect(await failure).toBe('plugin program /plugins/x cannot be used');
    }
    expect(startedAtMs).toHaveLength(3);
    const [first = 0, second = 0, third = 0] = startedAtMs;
    expect(first).toBe(0);
    expect(third - 120_000).toBeGreaterThan(second - 60_000);
    expect(
      await failureOf(
        supervisor.call(
          callOf(async () => {}),
          never,
        ),
      ),
    ).toBe(
      'plugin program velero-plugin-x was started 3 times and answered nothing; it is not started again for this run: plugin program /plugins/x cannot be used',
    );
    expect(startedAtMs).toHaveLength(3);
  });

  it('is restarted at once again after a response', async () => {
    const supervisor = supervisorOf();
    for (let round = 0; round < 10; round++) {
      await supervisor.call(
        callOf(async () => {}),
        never,
      );
      processes.at(-1)?.end({ exitCode: 1 });
    }
    expect(processes).toHaveLength(10);
  });
});

describe('a call without a response', () => {
  it('fails at its timeout; its process gets no more calls and ends when the other calls have ended', async () => {
    const supervisor = supervisorOf();
    const release = Promise.withResolvers<void>();
    const hung = failureOf(supervisor.call(callOf(hang), never));
    await clock.advance(1_000);
    const other = supervisor.call(
      callOf(() => release.promise),
      never,
    );
    await clock.advance(limits.callMs - 1_000);
    expect(await hung).toBe(
      'plugin example.io/x did not answer Execute within 5m0s. The log has what it said until then; --plugin-call-timeout gives it more time.',
    );
    expect(processes[0]?.ended.aborted).toBe(false);
    expect(
      await supervisor.call(
        callOf(async (process) => indexOf(process)),
        never,
      ),
    ).toBe(1);
    release.resolve();
    await other;
    expect(processes[0]?.stops).toEqual(['killed']);
    expect(processes[1]?.ended.aborted).toBe(false);
  });

  it('does not wait for an endless call beside it once another process hangs, too', async () => {
    const supervisor = supervisorOf();
    const endless = supervisor.call(
      callOf(async (process, options) => {
        if (indexOf(process) > 0) return 'ok';
        for (;;) {
          await clock.sleep(60_000, AbortSignal.any([options.signal, process.ended]));
          options.touch();
        }
      }),
      never,
    );
    for (const killed of [false, true]) {
      const hung = failureOf(supervisor.call(callOf(hang), never));
      await clock.advance(limits.callMs);
      expect(await hung).toContain('did not answer');
      expect(processes[0]?.ended.aborted).toBe(killed);
    }
    expect(await endless).toBe('ok');
  });

  it('does not affect the process of the other calls in its second attempt', async () => {
    const supervisor = supervisorOf();
    const call = callOf(async (process, options) => {
      if (indexOf(process) === 0) processes[0]?.end({ exitCode: 1 });
      return hang(process, options);
    });
    const failure = failureOf(supervisor.call(call, never));
    await letWorkRun();
    const which = callOf(async (process) => indexOf(process));
    const other = supervisor.call(which, never);
    await clock.advance(1_000);
    expect(await other).toBe(2);
    await clock.advance(limits.callMs);
    expect(await failure).toContain('did not answer');
    expect(processes[1]?.ended.aborted).toBe(true);
    expect(await supervisor.call(which, never)).toBe(2);
  });

  it('continues as long as data arrives', async () => {
    const supervisor = supervisorOf();
    const upload = supervisor.call(
      callOf(async (_process, { signal, touch }) => {
        for (let piece = 0; piece < 4; piece++) {
          await clock.sleep(limits.callMs - 1, signal);
          touch();
        }
        return 'stored';
      }),
      never,
    );
    await clock.advance(4 * limits.callMs);
    expect(await upload).toBe('stored');
  });

  it('ends with the reason of its caller, and affects nothing else', async () => {
    const supervisor = supervisorOf();
    const stop = new AbortController();
    const call = supervisor.call(callOf(hang), stop.signal);
    await letWorkRun();
    stop.abort(new Error('cancelled'));
    await expect(call).rejects.toThrow('cancelled');
    expect(processes[0]?.ended.aborted).toBe(false);
  });
});

describe('an error', () => {
  it('comes from the plugin when its process lives, whatever the code is', async () => {
    const supervisor = supervisorOf();
    const refuse = callOf(() => Promise.reject(new AppError('UNAVAILABLE', 'execute: the cloud is down')));
    expect(await failureOf(supervisor.call(refuse, never))).toBe(
      'plugin example.io/x answered Execute with an error: the cloud is down',
    );
    expect(processes).toHaveLength(1);
    expect(processes[0]?.ended.aborted).toBe(false);
  });

  it('of a broken connection ends the process, and the call is repeated once', async () => {
    const supervisor = supervisorOf();
    const call = callOf(async (process) => {
      if (indexOf(process) > 0) return 'ok';
      if (processes[0] !== undefined) processes[0].healthy = false;
      throw new AppError('UNAVAILABLE', 'execute: connection dropped');
    });
    expect(await supervisor.call(call, never)).toBe('ok');
    expect(processes[0]?.stops).toEqual(['killed']);
  });
});

describe('a streamed response', () => {
  const streamOf = (open: PluginStream<number>['open']) => ({ plugin: 'example.io/x', method: 'GetObject', open });

  it('has no time limit for its reader, but one for its sender', async () => {
    const supervisor = supervisorOf();
    const stuck = async function* (_process: unknown, { signal }: { signal: AbortSignal }) {
      yield 1;
      yield 2;
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cancelled'))));
    };
    const seen: number[] = [];
    const reading = (async () => {
      for await (const piece of supervisor.stream(streamOf(stuck), never)) {
        seen.push(piece);
        await clock.sleep(2 * limits.callMs, never);
      }
    })();
    const failure = failureOf(reading);
    await clock.advance(5 * limits.callMs);
    expect(seen).toEqual([1, 2]);
    expect(await failure).toContain('did not answer GetObject within 5m0s');
  });

  it('frees its slot when its reader leaves', async () => {
    const supervisor = supervisorOf();
    const endless = async function* () {
      for (let piece = 0; ; piece++) yield piece;
    };
    for (let round = 0; round < 10; round++) {
      for await (const piece of supervisor.stream(streamOf(endless), never)) if (piece === 3) break;
    }
    expect(supervisor.idleMs).toBe(0);
    expect(
      await supervisor.call(
        callOf(async () => 'ok'),
        never,
      ),
    ).toBe('ok');
  });
});
