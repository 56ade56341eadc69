import { AppError } from '@lateen/errors';
import { kubeError } from '@lateen/kube';
import { aDataDownload, FakeClock, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { FinishingStep } from '../kinds/movement-kind.ts';
import { finishPath } from './finish-path.ts';

type Answer = 'done' | 'undone' | 'waits' | Error;

const away = kubeError('KUBE_UNAVAILABLE', 'the API server is away');
const refused = kubeError('KUBE_FORBIDDEN', 'no');
const bad = new AppError('EXPOSE_TARGET_BOUND', 'bound to another');

/** A step that returns the given answer at each call, and records its arguments. */
function finishing({ runs = [], undos = [] }: { runs?: Answer[]; undos?: Answer[] }) {
  const clock = new FakeClock();
  const [stop, cancel] = [new AbortController(), new AbortController()];
  const asked: string[] = [];
  const answer = async (call: string, answers: Answer[], canceled?: AbortSignal): Promise<boolean> => {
    asked.push(call);
    const next = answers.shift();
    if (next instanceof Error) throw next;
    if (next === 'waits') {
      await new Promise((_, reject) => {
        for (const each of [stop.signal, canceled]) each?.addEventListener('abort', () => reject(each.reason));
      });
    }
    return next === 'undone';
  };
  const step: FinishingStep<ReturnType<typeof aDataDownload>> = {
    run: async (_, { canceled }) => void (await answer('run', runs, canceled)),
    undo: () => answer('undo', undos),
    hasBegun: async () => true,
  };
  const options = {
    signal: stop.signal,
    canceled: cancel.signal,
    backoff: { firstMs: 1_000, maxMs: 8_000, factor: 2, jitter: 0 },
  };
  const ports = { clock, random: seededRandom(1), log: recordingLog() };
  return { clock, stop, cancel, asked, finished: finishPath(ports, step, aDataDownload(), options) };
}

describe('the step after a successful data path', () => {
  it('runs, and is retried while the API server is unavailable', async () => {
    const { clock, asked, finished } = finishing({ runs: [away, away, 'done'] });
    await clock.advance(10_000);
    expect(await finished).toEqual({ kind: 'done' });
    expect(asked).toEqual(['run', 'run', 'run']);
  });
  it('is undone when it fails permanently', async () => {
    const { clock, asked, finished } = finishing({ runs: [bad], undos: [away, 'undone'] });
    await clock.advance(10_000);
    expect(await finished).toEqual({ kind: 'failed', error: bad });
    expect(asked).toEqual(['run', 'undo', 'undo']);
  });
  it('counts as done when it turns out that it cannot be undone any more', async () => {
    expect(await finishing({ runs: [bad], undos: ['done'] }).finished).toEqual({ kind: 'done' });
  });
  it('is undone on cancel, even before it has begun', async () => {
    const { cancel, asked, finished } = finishing({ runs: ['waits'], undos: ['undone'] });
    cancel.abort(new Error('canceled'));
    expect(await finished).toEqual({ kind: 'canceled' });
    expect(asked).toEqual(['run', 'undo']);
  });
  it('is not retried endlessly while the movement is canceled and the API server is unavailable', async () => {
    const { clock, cancel, asked, finished } = finishing({ runs: [away], undos: [away, away, 'undone'] });
    await clock.advance(0);
    cancel.abort(new Error('canceled'));
    await clock.advance(900);
    expect(asked).toEqual(['run', 'undo']);
    await clock.advance(60_000);
    expect(await finished).toEqual({ kind: 'canceled' });
  });
  it('stays done although the movement was canceled', async () => {
    const { cancel, finished } = finishing({ runs: ['waits'], undos: ['done'] });
    cancel.abort(new Error('canceled'));
    expect(await finished).toEqual({ kind: 'done' });
  });
  it.each([
    ['after a failure, with that failure', [bad], bad],
    ['after a cancel, with the denial', ['waits' as const], refused],
  ])('ends when undoing is denied: %s', async (_, runs, error) => {
    const { cancel, finished } = finishing({ runs: [...runs], undos: [refused] });
    if (runs[0] === 'waits') cancel.abort(new Error('canceled'));
    expect(await finished).toEqual({ kind: 'failed', error });
  });
  it('is left unchanged when the process ends', async () => {
    const { stop, asked, finished } = finishing({ runs: ['waits'] });
    stop.abort(new Error('the process ends'));
    await expect(finished).rejects.toThrow('the process ends');
    expect(asked).toEqual(['run']);
  });
});
