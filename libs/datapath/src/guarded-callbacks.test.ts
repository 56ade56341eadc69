import { describe, expect, it } from 'vitest';
import { guardedCallbacks } from './guarded-callbacks.ts';

const result = { target: { byPath: '/v', volumeMode: 'Filesystem' as const }, totalBytes: 1 };

function guarded() {
  const calls: unknown[] = [];
  const callbacks = guardedCallbacks({
    onStarted: () => calls.push('started'),
    onProgress: ({ totalBytes, doneBytes }) => calls.push([totalBytes, doneBytes]),
    onWarning: (text) => calls.push(text),
    onCompleted: () => calls.push('completed'),
    onFailed: ({ message }) => calls.push(message),
    onCancelled: () => calls.push('canceled'),
  });
  return { calls, callbacks };
}

describe('guarded callbacks', () => {
  it('report the start once and before anything else', () => {
    const { calls, callbacks } = guarded();
    callbacks.onProgress({ doneBytes: 1 });
    callbacks.onStarted();
    callbacks.onWarning('odd');
    callbacks.onCompleted(result);
    expect(calls).toEqual(['started', [undefined, 1], 'odd', 'completed']);
  });
  it('do not report a start for a data path that failed before it', () => {
    const { calls, callbacks } = guarded();
    callbacks.onFailed(new Error('no'));
    expect(calls).toEqual(['no']);
  });
  it('never report lower or repeated progress, but a smaller estimate is allowed', () => {
    const { calls, callbacks } = guarded();
    callbacks.onStarted();
    callbacks.onProgress({ totalBytes: 9 });
    callbacks.onProgress({ totalBytes: 9, doneBytes: 0 });
    callbacks.onProgress({ totalBytes: 9, doneBytes: 4 });
    callbacks.onProgress({ totalBytes: 9, doneBytes: 3 });
    callbacks.onProgress({ totalBytes: 8, doneBytes: 4 });
    expect(calls).toEqual(['started', [9, undefined], [9, 4], [8, 4]]);
  });
  it('report files without bytes, and never a lower number of files', () => {
    const calls: unknown[] = [];
    const never = () => expect.unreachable();
    const callbacks = guardedCallbacks({
      onStarted: () => {},
      onProgress: ({ doneFiles, limitedBy }) => calls.push([doneFiles, limitedBy]),
      onCompleted: never,
      onFailed: never,
      onCancelled: never,
    });
    callbacks.onProgress({ totalBytes: 9, doneBytes: 4, doneFiles: 1 });
    callbacks.onProgress({ totalBytes: 9, doneBytes: 4, doneFiles: 2, limitedBy: 'disk' });
    callbacks.onProgress({ totalBytes: 9, doneBytes: 4, doneFiles: 2, limitedBy: 'cpu' });
    callbacks.onProgress({ totalBytes: 9, doneBytes: 5, doneFiles: 1 });
    // An engine without file counts reports none.
    callbacks.onProgress({ totalBytes: 9, doneBytes: 9 });
    expect(calls).toEqual([
      [1, undefined],
      [2, 'disk'],
      [undefined, undefined],
    ]);
  });
  it.each(['onCompleted', 'onFailed', 'onCancelled', 'close'] as const)('report nothing after %s', (last) => {
    const { calls, callbacks } = guarded();
    if (last === 'onCompleted') callbacks.onCompleted(result);
    else if (last === 'onFailed') callbacks.onFailed(new Error('no'));
    else callbacks[last]();
    expect(callbacks.ended).toBe(true);
    const before = calls.length;
    callbacks.onStarted();
    callbacks.onProgress({ doneBytes: 1 });
    callbacks.onWarning('late');
    callbacks.onCompleted(result);
    callbacks.onFailed(new Error('no'));
    callbacks.onCancelled();
    expect(calls).toHaveLength(before);
  });
});
