import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planProcesses } from './plan-processes.ts';
import { processHealths, processKinds, type SeenProcess, type WantedProcess } from './process-plan.ts';

const id = fc.constantFrom('a', 'b', 'c', 'd');
const run = fc.constantFrom('1', '2');
const volume = fc.option(fc.constantFrom('v', 'w'), { nil: undefined });
const noUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;

const wantedOne = fc
  .record({ id, kind: fc.constantFrom(...processKinds), run, argv: fc.constant(['/bin/x']), volume })
  .map((one) => noUndefined(one) as WantedProcess);
const seenOne = fc
  .record({
    id,
    kind: fc.constantFrom(...processKinds),
    run,
    volume,
    health: fc.constantFrom(...processHealths),
    pid: fc.integer({ min: 2, max: 99 }),
    startTicks: fc.constant('7'),
    endingSinceMs: fc.option(fc.integer({ min: 0, max: 200_000 }), { nil: undefined }),
  })
  .map((one) => noUndefined(one) as SeenProcess);
const unique = { selector: (one: { id: string }) => one.id };
const wantedSet = fc.uniqueArray(wantedOne, unique);
const seenSet = fc.uniqueArray(seenOne, unique);
const atMs = fc.integer({ min: 0, max: 200_000 });

const seen = (fields: Partial<SeenProcess> = {}): SeenProcess => ({
  id: 'a',
  kind: 'replica',
  run: '1',
  health: 'answers',
  pid: 5,
  startTicks: '7',
  ...fields,
});
const wants = (fields: Partial<WantedProcess> = {}): WantedProcess => ({
  id: 'a',
  kind: 'replica',
  run: '1',
  argv: ['/bin/x'],
  ...fields,
});

describe('random wanted and observed processes', () => {
  const holds = (check: (w: readonly WantedProcess[], s: readonly SeenProcess[], at: number) => void) =>
    fc.assert(fc.property(wantedSet, seenSet, atMs, check), { numRuns: 500 });

  it('ends only processes that have a record and are not wanted, by the observed identity', () => {
    holds((w, s, at) => {
      for (const step of planProcesses(w, s, at)) {
        if (step.do !== 'end') continue;
        const one = s.find((other) => other.id === step.id);
        expect(one).toMatchObject({ pid: step.pid, startTicks: step.startTicks });
        expect(w.find((other) => other.id === step.id && other.run === one?.run)).toBeUndefined();
      }
    });
  });

  it('starts no process beside one with the same ID that may live, and no run again that has ended', () => {
    holds((w, s, at) => {
      for (const step of planProcesses(w, s, at)) {
        if (step.do !== 'start') continue;
        const before = s.find((other) => other.id === step.process.id);
        expect(before?.health ?? 'gone').toBe('gone');
        expect(before?.run).not.toBe(step.process.run);
      }
    });
  });

  it('forgets only processes that are gone, before anything is started in their place', () => {
    holds((w, s, at) => {
      const steps = planProcesses(w, s, at);
      for (const [index, step] of steps.entries()) {
        if (step.do !== 'forget') continue;
        expect(s.find((other) => other.id === step.id)?.health).toBe('gone');
        expect(steps.slice(0, index).some((other) => other.do === 'start' && other.process.id === step.id)).toBe(false);
      }
    });
  });

  it('reaches the wanted state, however long processes take to end', () => {
    const lives = fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(wantedSet, seenSet, lives, (w, s, endsAfter) => {
        let state = s.map((one) => ({ ...one }));
        for (let at = 200_000; at < 500_000; at += 5_000) {
          for (const step of planProcesses(w, state, at)) {
            if (step.do === 'forget') state = state.filter((one) => one.id !== step.id);
            if (step.do === 'start') {
              const { argv: _, ...process } = step.process;
              state.push({ ...process, health: 'silent', pid: 50, startTicks: '8' });
            }
            if (step.do === 'end')
              state = state.map((one) => (one.id === step.id ? { endingSinceMs: at, ...one } : one));
          }
          state = state.map((one) => {
            const ended = at - (one.endingSinceMs ?? at) > (endsAfter['abcd'.indexOf(one.id)] ?? 0);
            return one.health === 'unsure' || ended ? { ...one, health: 'gone' as const } : one;
          });
        }
        expect(planProcesses(w, state, 500_000).filter(({ do: what }) => what !== 'wait')).toEqual([]);
        expect(state.map((one) => `${one.id} ${one.run}`).sort()).toEqual(
          w.map((one) => `${one.id} ${one.run}`).sort(),
        );
      }),
      { numRuns: 200 },
    );
  });
});

describe('one process', () => {
  it('that runs as wanted is left alone, silent or not, and so is one that has ended', () => {
    for (const health of processHealths) expect(planProcesses([wants()], [seen({ health })], 0)).toEqual([]);
  });

  it('is asked to end, killed after its timeout, and replaced only when it is gone', () => {
    const next = [wants({ run: '2' })];
    const end = { do: 'end', id: 'a', pid: 5, startTicks: '7' };
    expect(planProcesses(next, [seen()], 1_000)).toEqual([{ ...end, signal: 'SIGTERM' }]);
    expect(planProcesses(next, [seen({ endingSinceMs: 1_000 })], 10_999)).toEqual([
      { do: 'wait', id: 'a', reason: 'a (pid 5) has been asked to end' },
    ]);
    expect(planProcesses(next, [seen({ endingSinceMs: 1_000 })], 11_000)).toEqual([{ ...end, signal: 'SIGKILL' }]);
    expect(planProcesses(next, [seen({ health: 'gone' })], 12_000)).toEqual([
      { do: 'forget', id: 'a' },
      { do: 'start', process: next[0] },
    ]);
  });

  it('whose start may have happened is awaited', () => {
    const { pid: _, startTicks: __, ...unsure } = seen({ health: 'unsure' });
    expect(planProcesses([], [unsure], 0)).toMatchObject([{ do: 'wait', id: 'a' }]);
  });
});

describe('processes of one volume', () => {
  const fuse = (fields: Partial<SeenProcess> = {}) =>
    seen({ id: 'f', kind: 'nbdfuse', volume: 'v', pid: 6, ...fields });
  const replica = seen({ id: 'r', volume: 'v' });

  it('end in order: the replica waits for the front end', () => {
    expect(planProcesses([], [replica, fuse()], 0)).toMatchObject([
      { do: 'wait', id: 'r', reason: 'f uses r and has not ended' },
      { do: 'end', id: 'f' },
    ]);
    expect(planProcesses([], [replica, fuse({ health: 'gone' })], 0)).toMatchObject([
      { do: 'end', id: 'r' },
      { do: 'forget', id: 'f' },
    ]);
  });

  it('wait a limited time for one that cannot be killed, and not for one that stays', () => {
    expect(planProcesses([], [replica, fuse({ endingSinceMs: 0 })], 20_000)[0]).toMatchObject({ do: 'end', id: 'r' });
    const stays = wants({ id: 'f', kind: 'nbdfuse', volume: 'v' });
    expect(planProcesses([stays], [replica, fuse()], 0)).toMatchObject([{ do: 'end', id: 'r' }]);
  });
});
