import { describe, expect, it } from 'vitest';
import type { PodEnd } from './pod-report.ts';
import { type Evidence, judge } from './verdict.ts';

const result = {
  snapshotID: 'id-1',
  emptySnapshot: false,
  source: { byPath: '/u', volumeMode: 'Filesystem' as const },
  totalBytes: 10,
  incrementalBytes: 3,
};
const end = (parts: Partial<PodEnd>): PodEnd => ({
  succeeded: true,
  message: '',
  truncated: false,
  cause: 'exit code 0',
  containerEnded: true,
  ...parts,
});
const good = end({ message: JSON.stringify(result) });
const bad = (message: string, parts: Partial<PodEnd> = {}) =>
  end({ succeeded: false, message, cause: 'exit code 1', ...parts });
const completed = { kind: 'completed' as const, result };
const failedEvent = { kind: 'failed' as const, text: 'Data path for data upload x failed, error disk' };
const conflictingEvents = { kind: 'conflicting' as const, text: 'completed / failed' };
const lost = { code: 'DATA_PATH_POD_GONE' as const, words: 'was deleted before it ended' };
const canceledEvent = { kind: 'canceled' as const, text: 'Data path for data upload x canceled' };

/** Both sources, each alone, and each pair: the verdict before and after the wait for Events. */
const rows: [string, Omit<Evidence, 'podName'>, { early: string; late: string; says?: string }][] = [
  ['the pod runs', {}, { early: 'open', late: 'open' }],
  ['the pod runs and says it is done', { eventEnding: completed }, { early: 'open', late: 'open' }],

  ['a good pod alone', { podEnd: good }, { early: 'completed', late: 'completed' }],
  ['both agree', { podEnd: good, eventEnding: completed }, { early: 'completed', late: 'completed' }],
  [
    'both completed, but another snapshot',
    { podEnd: good, eventEnding: { ...completed, result: { ...result, snapshotID: 'id-2' } } },
    { early: 'failed', late: 'failed', says: 'differ' },
  ],
  [
    'a good pod whose Event says failed',
    { podEnd: good, eventEnding: failedEvent },
    { early: 'failed', late: 'failed', says: 'error disk' },
  ],
  [
    'a good pod whose Event says canceled',
    { podEnd: good, eventEnding: canceledEvent },
    { early: 'failed', late: 'failed', says: 'canceled' },
  ],
  ['a good pod without a message', { podEnd: end({}) }, { early: 'undecided', late: 'failed', says: 'left no result' }],
  [
    'a good pod without a message, but an Event',
    { podEnd: end({}), eventEnding: completed },
    { early: 'completed', late: 'completed' },
  ],
  [
    'a good pod with half a message',
    { podEnd: end({ message: '{"snap', truncated: true }) },
    { early: 'undecided', late: 'failed' },
  ],

  ['a failed pod that says why', { podEnd: bad('no bucket') }, { early: 'failed', late: 'failed', says: 'no bucket' }],
  [
    'a failed pod that was told to stop',
    { podEnd: bad('Failed: data path is canceled\n') },
    { early: 'canceled', late: 'canceled' },
  ],
  [
    'the same words in the middle',
    { podEnd: bad('data path is canceled by disk full') },
    { early: 'failed', late: 'failed', says: 'disk full' },
  ],
  [
    'a failed pod whose Event says canceled',
    { podEnd: bad('killed'), eventEnding: canceledEvent },
    { early: 'canceled', late: 'canceled' },
  ],
  [
    'a failed pod whose message was cut',
    { podEnd: bad('long…', { truncated: true }) },
    { early: 'undecided', late: 'failed', says: 'long…' },
  ],
  [
    'a failed pod whose message was cut, and an Event',
    { podEnd: bad('long…', { truncated: true }), eventEnding: failedEvent },
    { early: 'failed', late: 'failed', says: 'long…' },
  ],
  [
    'a killed pod',
    { podEnd: bad('', { cause: 'exit code 137 (OOMKilled)' }) },
    { early: 'undecided', late: 'failed', says: 'OOMKilled' },
  ],
  [
    'a killed pod that had said why',
    { podEnd: bad(''), eventEnding: failedEvent },
    { early: 'failed', late: 'failed', says: 'error disk' },
  ],
  [
    'a pod that failed after it was done',
    { podEnd: bad(''), eventEnding: completed },
    { early: 'failed', late: 'failed', says: 'after it had reported completion' },
  ],

  ['a deleted pod', { lost }, { early: 'undecided', late: 'failed', says: 'was deleted' }],
  ['a deleted pod that had completed', { lost, eventEnding: completed }, { early: 'completed', late: 'completed' }],
  [
    'a deleted pod that had failed',
    { lost, eventEnding: failedEvent },
    { early: 'failed', late: 'failed', says: 'error disk' },
  ],
  [
    'a deleted pod that had been canceled',
    { lost, eventEnding: canceledEvent },
    { early: 'canceled', late: 'canceled' },
  ],
  [
    'a deleted pod whose Events differ',
    { lost, eventEnding: conflictingEvents },
    { early: 'failed', late: 'failed', says: 'differ' },
  ],
  [
    'a good pod whose Events differ',
    { podEnd: good, eventEnding: conflictingEvents },
    { early: 'failed', late: 'failed', says: 'completed / failed' },
  ],
  [
    'a failed pod whose Events differ',
    { podEnd: bad('no bucket'), eventEnding: conflictingEvents },
    { early: 'failed', late: 'failed', says: 'no bucket' },
  ],
  [
    'a failed pod without a message whose Events differ',
    { podEnd: bad(''), eventEnding: conflictingEvents },
    { early: 'failed', late: 'failed', says: 'differ' },
  ],
  [
    'a good pod with half a message, and an Event',
    { podEnd: end({ message: '{"snap', truncated: true }), eventEnding: completed },
    { early: 'completed', late: 'completed' },
  ],
  [
    'a good pod with a result that means nothing',
    { podEnd: end({ message: '[]' }) },
    { early: 'undecided', late: 'failed', says: 'left no result' },
  ],
  [
    'a failed pod whose Event says the same',
    { podEnd: bad('disk'), eventEnding: failedEvent },
    { early: 'failed', late: 'failed', says: 'disk' },
  ],
  ['a pod that ended well and was deleted then', { lost, podEnd: good }, { early: 'completed', late: 'completed' }],
];

describe('the verdict on the end of a data path', () => {
  it.each(rows)('%s', (_, evidence, { early, late, says }) => {
    const podName = 'velero/x';
    expect(judge({ podName, ...evidence }, { final: false, early: false }).kind).toBe(early);
    const verdict = judge({ podName, ...evidence }, { final: true, early: false });
    expect(verdict.kind).toBe(late);
    if (says !== undefined) expect(verdict).toMatchObject({ error: { message: expect.stringContaining(says) } });
  });
  it.each([
    ['DATA_PATH_OUT_OF_MEMORY', 'more memory'],
    ['DATA_PATH_EVICTED', 'Free resources'],
    ['DATA_PATH_PREEMPTED', 'priorityClassName'],
  ] as const)('%s has a next step', (loss, nextStep) => {
    const verdict = judge({ podName: 'velero/x', podEnd: bad('', { loss }) }, { final: true, early: false });
    expect(verdict).toMatchObject({ error: { nextStep: expect.stringContaining(nextStep) } });
  });
  it('remarks on a result that only an Event contains', () => {
    expect(judge({ podName: 'velero/x', lost, eventEnding: completed }, { final: false, early: false })).toHaveProperty(
      'remark',
    );
    expect(judge({ podName: 'velero/x', podEnd: good }, { final: false, early: false })).not.toHaveProperty('remark');
  });
  it('accepts a completion before the pod has ended, but not a failure or cancellation', () => {
    const early = { final: false, early: true };
    expect(judge({ podName: 'velero/x', eventEnding: completed }, early)).toEqual(completed);
    expect(judge({ podName: 'velero/x', eventEnding: failedEvent }, early).kind).toBe('open');
    expect(judge({ podName: 'velero/x', eventEnding: canceledEvent }, early).kind).toBe('open');
    expect(judge({ podName: 'velero/x', eventEnding: completed, podEnd: bad('no') }, early).kind).toBe('failed');
  });
});
