import { FakeClock, letWorkRun } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { AskProcesses } from './ask-processes.ts';
import type { WantedProcess } from './process-plan.ts';

const never = new AbortController().signal;
const process = (run: string): WantedProcess => ({ id: 'r-1', kind: 'replica', run, argv: [] });

/** Each query waits until the test answers it. */
function world() {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const questions: PromiseWithResolvers<boolean>[] = [];
  const answers = () => {
    const question = Promise.withResolvers<boolean>();
    questions.push(question);
    return question.promise;
  };
  return { clock, questions, asked: new AskProcesses({ answers, clock }) };
}

describe('a health query to a process', () => {
  it.each([
    [true, 'answers'],
    [false, 'silent'],
  ])('that returns %s means %s', async (said, health) => {
    const { asked, questions } = world();
    const asking = asked.health(process('1'), never);
    questions[0]?.resolve(said);
    expect(await asking).toBe(health);
  });

  it('that fails means silent', async () => {
    const { asked, questions } = world();
    const asking = asked.health(process('1'), never);
    questions[0]?.reject(new Error('no socket'));
    expect(await asking).toBe('silent');
  });

  it('is awaited once for a limited time; the process counts as silent until it answers', async () => {
    const { asked, clock, questions } = world();
    const first = asked.health(process('1'), never);
    await clock.advance(500);
    expect(await first).toBe('silent');
    expect(await asked.health(process('1'), never)).toBe('silent');
    expect(questions).toHaveLength(1);
    questions[0]?.resolve(true);
    await letWorkRun();
    const again = asked.health(process('1'), never);
    questions[1]?.resolve(true);
    expect(await again).toBe('answers');
  });

  it('is repeated when it is never answered; another run of the process is queried at once', async () => {
    const { asked, clock, questions } = world();
    const first = asked.health(process('1'), never);
    await clock.advance(500);
    expect(await first).toBe('silent');
    const other = asked.health(process('2'), never);
    questions[1]?.resolve(true);
    expect(await other).toBe('answers');
    await clock.advance(10_000);
    await letWorkRun();
    const again = asked.health(process('1'), never);
    questions[2]?.resolve(true);
    expect(await again).toBe('answers');
  });

  it('ends with the reason of an abort', async () => {
    const { asked } = world();
    const stop = new AbortController();
    const asking = asked.health(process('1'), stop.signal);
    stop.abort(new Error('the program stops'));
    await expect(asking).rejects.toThrow('the program stops');
  });
});
