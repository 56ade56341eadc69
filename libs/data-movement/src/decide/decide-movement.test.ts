import { type DataMovementPhase, dataMovementPhases, isTerminalPhase } from '@lateen/api-types';
import { aDataDownload, aDataUpload } from '@lateen/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindFacts } from '../gather/kind-facts.ts';
import type { Seen, SeenPod } from '../gather/seen.ts';
import { type UploadKindPorts, uploadKind } from '../kinds/upload-kind.ts';
import { movementLimits } from '../movement-limits.ts';
import { decideMovement } from './decide-movement.ts';
import type { Step } from './step.ts';

const t0 = Date.parse('2030-01-01T00:00:00Z');
const seconds = 1_000;
const minutes = 60 * seconds;
const finalizer = 'velero.io/data-upload-download-finalizer';
const kind = uploadKind({} as UploadKindPorts);

function seen(upload: Parameters<typeof aDataUpload>[0], parts: Partial<Seen> = {}): Seen {
  const { node = 'node-1' } = parts;
  const object = aDataUpload({ finalizers: [finalizer], ...upload });
  return {
    ...kindFacts(kind, object, node),
    object,
    worked: 'nothing',
    node,
    mayBegin: true,
    standsIn: false,
    isTooLate: false,
    nowMs: t0,
    pod: undefined,
    exposure: 'running',
    // Already reported, so that the report does not interfere.
    explainedForMs: 0,
    active: false,
    ending: false,
    ownerLostForMs: 0,
    limits: movementLimits,
    ...parts,
  };
}
const accepted = (by: string, agoMs = 0) => ({
  phase: 'Accepted' as const,
  acceptedByNode: by,
  status: { acceptedTimestamp: new Date(t0 - agoMs).toISOString() },
});
const running = (node: string): SeenPod => ({
  uid: 'uid-pod',
  running: true,
  ended: false,
  unready: false,
  node,
  volumeBytes: 0,
  needsClient: false,
});
const lostPod = (node: string): SeenPod => ({
  ...running(node),
  running: false,
  ended: true,
  failure: 'evicted',
  lost: true,
});
const attempt = (number: number) => ({ annotations: { 'lateen.dev/attempts': String(number) } });
const lostAgent = { ownerLostForMs: 2 * minutes };
const ended = (agoMs: number) => ({ status: { completionTimestamp: new Date(t0 - agoMs).toISOString() } });

const rows: [string, Seen, Partial<Step>][] = [
  ['a new object is accepted', seen({}), { do: 'accept' }],
  ['a new object that shall be canceled is not even begun', seen({ cancel: true }), { do: 'end', phase: 'Canceled' }],
  [
    'a waiting object that is canceled keeps the reason for which it waited',
    seen({ cancel: true, status: { message: 'waiting: pod velero/p cannot mount its volume' } }),
    {
      do: 'end',
      phase: 'Canceled',
      message: 'the data upload was canceled; until then waiting: pod velero/p cannot mount its volume',
    },
  ],
  [
    'an object for another mover is left alone',
    seen({ spec: { datamover: 'other' }, cancel: true }),
    { do: 'nothing' },
  ],

  ['accepted by us, not begun: exposed', seen(accepted('node-1'), { exposure: 'none' }), { do: 'expose' }],
  [
    'accepted by us, under way: waits for the rest of its time',
    seen(accepted('node-1', minutes)),
    { do: 'wait', againMs: minutes },
  ],
  [
    'accepted by us a while ago: says what it waits for',
    seen(accepted('node-1', 30 * seconds), { explainedForMs: undefined }),
    { do: 'explain' },
  ],
  [
    'accepted by us a moment ago: it is too early to explain',
    seen(accepted('node-1', 10 * seconds), { explainedForMs: undefined }),
    { do: 'wait', againMs: 20 * seconds },
  ],
  [
    'accepted by us for another attempt: waits for its time',
    seen(
      { ...accepted('node-1'), annotations: { 'lateen.dev/next-attempt-at': '2030-01-01T00:00:05Z' } },
      { exposure: 'none' },
    ),
    { do: 'wait', againMs: 5 * seconds },
  ],
  [
    'accepted by us, pod evicted before it ran: once more',
    seen(accepted('node-1'), { pod: lostPod('node-1') }),
    { do: 'try-again', cause: 'evicted' },
  ],
  [
    'accepted by us, pod deleted',
    seen(accepted('node-1'), { exposure: 'done', exposedForMs: 10 * seconds }),
    { do: 'try-again' },
  ],
  [
    'accepted by us, pod just created and not seen yet',
    seen(accepted('node-1'), { exposure: 'done', exposedForMs: 1 * seconds }),
    { do: 'wait', againMs: 9 * seconds },
  ],
  [
    'accepted by us, pod evicted in the last attempt',
    seen({ ...accepted('node-1'), ...attempt(3) }, { pod: lostPod('node-1') }),
    { do: 'end', phase: 'Failed', message: 'evicted (attempt 3 of 3)' },
  ],
  ['accepted by another whose agent is lost', seen(accepted('node-2'), lostAgent), { do: 'take-over' }],
  [
    'accepted by another whose agent has just gone',
    seen(accepted('node-2'), { ownerLostForMs: 1 * minutes }),
    { do: 'wait', againMs: 1 * minutes },
  ],
  ['accepted by us, pod here', seen(accepted('node-1'), { pod: running('node-1') }), { do: 'mark-prepared' }],
  ['accepted by another, pod here', seen(accepted('node-2'), { pod: running('node-1') }), { do: 'mark-prepared' }],
  [
    'accepted by us, pod elsewhere: the other node says Prepared',
    seen(accepted('node-1'), { pod: running('node-2') }),
    { do: 'wait' },
  ],
  [
    'accepted by us, pod hopeless',
    seen(accepted('node-1'), { pod: { ...running(''), running: false, failure: 'no image' } }),
    { do: 'end', phase: 'Failed', message: 'no image' },
  ],
  [
    'accepted by another, pod hopeless: not ours to say',
    seen(accepted('node-2'), { pod: { ...running(''), running: false, failure: 'no image' } }),
    { do: 'wait' },
  ],
  [
    'accepted by us, too long ago',
    seen(accepted('node-1', 30 * minutes)),
    { do: 'end', phase: 'Failed', diagnose: true },
  ],
  [
    'accepted by another, too long ago: it gets a minute more',
    seen(accepted('node-2', 30 * minutes)),
    { do: 'wait', againMs: minutes },
  ],
  [
    'accepted by another that does not end it',
    seen(accepted('node-2', 31 * minutes)),
    { do: 'end', phase: 'Failed', diagnose: true },
  ],
  [
    'accepted by us, canceled',
    seen({ ...accepted('node-1'), cancel: true }, { pod: running('node-1') }),
    { do: 'end', phase: 'Canceled' },
  ],
  [
    'accepted by another, just canceled',
    seen({ ...accepted('node-2'), cancel: true }, { cancelSeenMs: t0 }),
    { do: 'wait', againMs: 25 * seconds },
  ],
  [
    'accepted by another, canceled 25 seconds ago',
    seen({ ...accepted('node-2'), cancel: true }, { cancelSeenMs: t0 - 25 * seconds }),
    { do: 'end', phase: 'Canceled' },
  ],
  ['accepted at an unreadable time', seen({ phase: 'Accepted', acceptedByNode: 'node-1' }), { do: 'wait' }],

  ['prepared here', seen({ phase: 'Prepared', node: 'node-1' }, { pod: running('node-1') }), { do: 'start' }],
  ['prepared here, pod deleted', seen({ phase: 'Prepared', node: 'node-1' }), { do: 'try-again' }],
  [
    'prepared here, pod lost',
    seen({ phase: 'Prepared', node: 'node-1' }, { pod: lostPod('node-1') }),
    { do: 'try-again', cause: 'evicted' },
  ],
  [
    'prepared elsewhere, agent lost, its pod is well: waited for, and said',
    seen({ phase: 'Prepared', node: 'node-2' }, { ...lostAgent, pod: running('node-2') }),
    { do: 'wait', againMs: 28 * minutes, note: expect.stringContaining('node node-2, where its hosting pod is ready') },
  ],
  [
    'prepared elsewhere, agent lost for as long as a preparation may take',
    seen({ phase: 'Prepared', node: 'node-2' }, { ownerLostForMs: 30 * minutes, pod: running('node-2') }),
    { do: 'try-again', cause: 'node node-2 has no running node-agent any more, for 30m0s by now' },
  ],
  [
    'prepared elsewhere in the last attempt, its pod is well: waited for however long its agent is away',
    seen(
      { phase: 'Prepared', node: 'node-2', ...attempt(3) },
      { ownerLostForMs: 24 * 60 * minutes, pod: running('node-2') },
    ),
    { do: 'wait' },
  ],
  [
    'prepared elsewhere, agent and pod lost',
    seen({ phase: 'Prepared', node: 'node-2' }, lostAgent),
    { do: 'try-again', cause: 'node node-2 has no running node-agent any more, and the hosting pod is gone' },
  ],
  [
    'prepared elsewhere, node lost',
    seen({ phase: 'Prepared', node: 'node-2' }, { ...lostAgent, pod: { ...running('node-2'), unready: true } }),
    { do: 'try-again' },
  ],
  [
    'prepared elsewhere, agent lost, pod evicted',
    seen({ phase: 'Prepared', node: 'node-2' }, { ...lostAgent, pod: lostPod('node-2') }),
    { do: 'try-again', cause: 'evicted' },
  ],
  [
    'prepared elsewhere in the last attempt, node lost',
    seen({ phase: 'Prepared', node: 'node-2', ...attempt(3) }, lostAgent),
    { do: 'end', phase: 'Failed' },
  ],
  ['prepared elsewhere', seen({ phase: 'Prepared', node: 'node-2' }), { do: 'nothing' }],
  [
    'prepared here, pod failed before the start',
    seen({ phase: 'Prepared', node: 'node-1' }, { pod: { ...running('node-1'), failure: 'oom' } }),
    { do: 'end', phase: 'Failed' },
  ],
  [
    'prepared here, canceled',
    seen({ phase: 'Prepared', node: 'node-1', cancel: true }),
    { do: 'end', phase: 'Canceled' },
  ],
  [
    'prepared elsewhere, canceled long ago',
    seen({ phase: 'Prepared', node: 'node-2', cancel: true }, { cancelSeenMs: t0 - 5 * minutes }),
    { do: 'end', phase: 'Canceled' },
  ],

  ['in progress here, watched', seen({ phase: 'InProgress', node: 'node-1' }, { active: true }), { do: 'wait' }],
  ['in progress here, from before a restart', seen({ phase: 'InProgress', node: 'node-1' }), { do: 'attach' }],
  [
    'in progress here, from before a restart, canceled: watched first, or its end is missed',
    seen({ phase: 'InProgress', node: 'node-1', cancel: true }),
    { do: 'attach' },
  ],
  ['in progress elsewhere', seen({ phase: 'InProgress', node: 'node-2' }), { do: 'nothing' }],
  [
    'in progress here, canceled',
    seen({ phase: 'InProgress', node: 'node-1', cancel: true }, { active: true }),
    { do: 'mark-canceling' },
  ],
  [
    'canceling here',
    seen({ phase: 'Canceling', node: 'node-1', cancel: true }, { active: true, cancelSeenMs: t0 - 5 * seconds }),
    { do: 'wait', againMs: 15 * seconds },
  ],
  [
    'canceling here for too long, and ending',
    seen(
      { phase: 'Canceling', node: 'node-1', cancel: true },
      { active: true, ending: true, cancelSeenMs: t0 - 20 * seconds },
    ),
    { do: 'wait', on: 'the end of the data path to be recorded' },
  ],
  [
    'canceling here for too long',
    seen({ phase: 'Canceling', node: 'node-1', cancel: true }, { active: true, cancelSeenMs: t0 - 20 * seconds }),
    { do: 'end', phase: 'Canceled' },
  ],
  [
    'in progress elsewhere, just canceled',
    seen({ phase: 'InProgress', node: 'node-2', cancel: true }, { cancelSeenMs: t0 - 5 * seconds }),
    { do: 'wait', againMs: 20 * seconds },
  ],
  [
    'in progress elsewhere, canceled and not ended there',
    seen({ phase: 'InProgress', node: 'node-2', cancel: true }, { cancelSeenMs: t0 - 25 * seconds }),
    { do: 'end', phase: 'Canceled' },
  ],
  [
    'in progress here, watched, and taken over by another',
    seen({ phase: 'InProgress', node: 'node-2' }, { active: true }),
    { do: 'let-go' },
  ],
  ['watched, and back in Accepted', seen(accepted('node-1'), { active: true }), { do: 'let-go' }],
  [
    'in progress elsewhere, agent lost, pod running: left to run',
    seen({ phase: 'InProgress', node: 'node-2' }, { ...lostAgent, pod: running('node-2') }),
    { do: 'wait' },
  ],
  [
    'in progress elsewhere, agent lost, pod ended: its end is recorded here',
    seen({ phase: 'InProgress', node: 'node-2' }, { ...lostAgent, pod: { ...running('node-2'), ended: true } }),
    { do: 'adopt' },
  ],
  [
    'in progress elsewhere, agent and pod lost',
    seen({ phase: 'InProgress', node: 'node-2' }, lostAgent),
    { do: 'adopt' },
  ],
  [
    'in progress elsewhere, node lost: another reader does no harm',
    seen({ phase: 'InProgress', node: 'node-2' }, { ...lostAgent, pod: { ...running('node-2'), unready: true } }),
    { do: 'try-again' },
  ],
  [
    'in progress elsewhere, node lost, a restore: no second writer beside the first',
    seen(
      { phase: 'InProgress', node: 'node-2' },
      { ...lostAgent, rank: 'restore', pod: { ...running('node-2'), unready: true } },
    ),
    { do: 'wait' },
  ],
  [
    'canceled elsewhere, agent lost, pod ended: recorded as it ended',
    seen(
      { phase: 'Canceling', node: 'node-2', cancel: true },
      { ...lostAgent, cancelSeenMs: t0 - 25 * seconds, pod: { ...running('node-2'), ended: true } },
    ),
    { do: 'adopt' },
  ],

  ['completed here', seen({ phase: 'Completed', node: 'node-1' }), { do: 'conclude' }],
  [
    'completed here, and still watched: its log is coming over, or the answer to its end was lost',
    seen({ phase: 'Completed', node: 'node-1' }, { active: true }),
    { do: 'let-go' },
  ],
  [
    'failed before it was prepared, accepted by us',
    seen({ phase: 'Failed', acceptedByNode: 'node-1' }),
    { do: 'conclude' },
  ],
  ['canceled before it was accepted', seen({ phase: 'Canceled' }), { do: 'conclude' }],
  [
    'completed elsewhere just now',
    seen({ phase: 'Completed', node: 'node-2', ...ended(0) }),
    { do: 'wait', againMs: minutes },
  ],
  [
    'completed elsewhere and not concluded there',
    seen({ phase: 'Completed', node: 'node-2', ...ended(minutes) }),
    { do: 'conclude' },
  ],
  [
    'ended elsewhere at a time that nobody has written down: counts from when we first saw it',
    seen({ phase: 'Failed', node: 'node-2' }, { endSeenMs: t0 - 20 * seconds }),
    { do: 'wait', againMs: 40 * seconds },
  ],
  [
    'ended elsewhere at a time that nobody has written down, long ago',
    seen({ phase: 'Failed', acceptedByNode: 'node-2' }, { endSeenMs: t0 - minutes }),
    { do: 'conclude' },
  ],
  [
    'ended elsewhere at a time that cannot be read',
    seen({ phase: 'Failed', node: 'node-2', status: { completionTimestamp: 'soon' } }, { endSeenMs: t0 - minutes }),
    { do: 'conclude' },
  ],
  [
    'ended elsewhere by a clock that is far ahead: counts from when we first saw it',
    seen({ phase: 'Failed', node: 'node-2', ...ended(-600 * minutes) }, { endSeenMs: t0 - minutes }),
    { do: 'conclude' },
  ],
  ['completed and concluded', seen({ phase: 'Completed', node: 'node-1', finalizers: [] }), { do: 'nothing' }],
  [
    'completed, with the finalizer of somebody else',
    seen({ phase: 'Completed', node: 'node-1', finalizers: ['x'] }),
    { do: 'nothing' },
  ],
];

describe('the decision of a node about a movement', () => {
  it.each(rows)('%s', (_, sight, step) => {
    expect(decideMovement(sight)).toMatchObject(step);
  });
  it.each(dataMovementPhases.filter((phase) => !isTerminalPhase(phase)))(
    'deleted in %s: any node requests the cancel',
    (phase) => {
      const object = aDataUpload({ phase, node: 'node-2', metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } });
      expect(decideMovement({ ...seen({}), object })).toEqual({
        do: 'request-cancel',
        message: 'Cancel dataupload because it is being deleted',
      });
    },
  );
  it('deleted downloads have their own message', () => {
    const object = aDataDownload({ phase: 'Accepted', metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } });
    expect(decideMovement({ ...seen({}), object })).toMatchObject({
      message: 'Cancel datadownload because it is being deleted',
    });
  });
  it('an unknown phase is an error of that object, not a guess', () => {
    expect(() => decideMovement(seen({ phase: 'Paused' as DataMovementPhase }))).toThrow(
      expect.objectContaining({ code: 'PHASE_UNKNOWN' }),
    );
  });
});

describe('for any facts', () => {
  const anySight = fc.record({
    phase: fc.constantFrom(...dataMovementPhases, undefined),
    node: fc.constantFrom('node-1', 'node-2', undefined),
    acceptedByNode: fc.constantFrom('node-1', 'node-2', undefined),
    cancel: fc.boolean(),
    deleted: fc.boolean(),
    attempt: fc.integer({ min: 1, max: 4 }),
    ownerLostForMs: fc.constantFrom(0, minutes, 10 * minutes),
    pod: fc.constantFrom(
      undefined,
      running('node-1'),
      running('node-2'),
      lostPod('node-1'),
      { ...running('node-2'), unready: true },
      { ...lostPod('node-1'), lost: false },
    ),
    exposure: fc.constantFrom('none' as const, 'running' as const, 'done' as const),
    active: fc.boolean(),
    ending: fc.boolean(),
    cancelAgoMs: fc.integer({ min: 0, max: 120 * minutes }),
    acceptedAgoMs: fc.integer({ min: 0, max: 60 * minutes }),
  });
  const sightOf = (s: typeof anySight extends fc.Arbitrary<infer T> ? T : never): Seen => {
    const status = { acceptedTimestamp: new Date(t0 - s.acceptedAgoMs).toISOString() };
    const object = aDataUpload({
      finalizers: [finalizer],
      cancel: s.cancel,
      status,
      metadata: { ...attempt(s.attempt), ...(s.deleted ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}) },
      ...(s.phase === undefined ? {} : { phase: s.phase }),
      ...(s.node === undefined ? {} : { node: s.node }),
      ...(s.acceptedByNode === undefined ? {} : { acceptedByNode: s.acceptedByNode }),
    });
    return {
      ...seen({}),
      object,
      pod: s.pod,
      exposure: s.exposure,
      active: s.active,
      ending: s.active && s.ending,
      ownerLostForMs: s.ownerLostForMs,
      cancelSeenMs: t0 - s.cancelAgoMs,
    };
  };
  it('an ended movement is only ever concluded', () => {
    fc.assert(
      fc.property(anySight, (s) => {
        if (isTerminalPhase(s.phase))
          expect(['nothing', 'wait', 'let-go', 'conclude']).toContain(decideMovement(sightOf(s)).do);
      }),
    );
  });
  it('what is canceled is never begun, prepared or started', () => {
    fc.assert(
      fc.property(anySight, (s) => {
        if (s.cancel)
          expect(['accept', 'expose', 'mark-prepared', 'start', 'try-again', 'take-over']).not.toContain(
            decideMovement(sightOf(s)).do,
          );
      }),
    );
  });
  it('is retried only while attempts are left', () => {
    fc.assert(
      fc.property(anySight, (s) => {
        if (s.attempt >= movementLimits.attempts) expect(decideMovement(sightOf(s)).do).not.toBe('try-again');
      }),
    );
  });
  it('while its node has an agent, another node only waits or cancels', () => {
    fc.assert(
      fc.property(anySight, (s) => {
        const sight = { ...sightOf(s), ownerLostForMs: 0, active: false };
        const owner = s.node ?? s.acceptedByNode;
        const isAnothers =
          owner === 'node-2' && !isTerminalPhase(s.phase) && s.phase !== undefined && s.phase !== 'New';
        if (!isAnothers || (s.phase === 'Accepted' && sight.pod?.running === true)) return;
        expect(['nothing', 'wait', 'end', 'request-cancel']).toContain(decideMovement(sight).do);
      }),
    );
  });
  it('a wait with an end ends in the future', () => {
    fc.assert(
      fc.property(anySight, (s) => {
        const step = decideMovement(sightOf(s));
        if (step.do === 'wait' && step.againMs !== undefined) expect(step.againMs).toBeGreaterThan(0);
      }),
    );
  });
});
