import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { stopSignal } from './stop-signal.ts';

describe('the stop signal', () => {
  it.each(['SIGTERM', 'SIGINT'])('aborts on %s and names it', (name) => {
    const from = new EventEmitter();
    const stop = stopSignal('the work was told to stop', { again: 'ends', retry: 'later', from });
    expect(stop.aborted).toBe(false);
    from.emit(name);
    expect(stop.reason).toMatchObject({
      code: 'STOPPED',
      message: `the work was told to stop (${name})`,
      retry: 'later',
    });
  });

  it('listens once, so that the next signal ends the process, or ignores later signals', () => {
    const [ending, ignoring] = [new EventEmitter(), new EventEmitter()];
    stopSignal('told to stop', { again: 'ends', from: ending });
    const stop = stopSignal('told to stop', { again: 'ignored', from: ignoring });
    for (const from of [ending, ignoring]) from.emit('SIGTERM');
    expect([ending.listenerCount('SIGTERM'), ignoring.listenerCount('SIGTERM')]).toEqual([0, 1]);
    ignoring.emit('SIGINT');
    expect(stop.reason).toMatchObject({ message: 'told to stop (SIGTERM)', retry: 'never' });
  });
});
