import { type DataMovementPhase, dataMovementPhases, isTerminalPhase } from '@lateen/api-types';
import { aDataDownload, aDataUpload } from '@lateen/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideMovement, type Seen, type Step } from './decide-movement.ts';
import { movementLimits } from './movement-limits.ts';

const t0 = Date.parse('2030-01-01T00:00:00Z');
const minutes = 60_000;
const finalizer = 'velero.io/data-upload-download-finalizer';

function seen(upload: Parameters<typeof aDataUpload>[0], parts: Partial<Seen> = {}): Seen {
  return {
    object: aDataUpload({ finalizers: [finalizer], ...upload }),
    words: 'data upload',
    node: 'node-1',
    nowMs: t0,
    pod: undefined,
    exposure: 'running',
    active: false,
    limits: movementLimits,
    ...parts,
  };
}
const accepted = (by: string, agoMs = 0) => ({
  phase: 'Accepted' as const,
  acceptedByNode: by,
  status: { acceptedTimestamp: new Date(t0 - agoMs).toISOString() },
});
const running = (node: string) => ({ running: true, ended: false, node });
const ended = (agoMs: number) => ({ status: { completionTimestamp: new Date(t0 - agoMs).toISOString() } });

const rows: [string, Seen, Partial<Step>][] = [
  ['a new object is accepted', seen({}), { do: 'accept' }],
  ['a new object that shall be canceled is not even begun', seen({ cancel: true }), { do: 'end', phase: 'Canceled' }],
  [
    'an object for another mover is left alone',
    seen({ spec: { datamover: 'other' }, cancel: true }),
    { do: 'nothing' },
  ],

  ['accepted by us, not begun: exposed', seen(accepted('node-1'), { exposure: 'none' }), { do: 'expose' }],
  [
    'accepted by us, under way: waits for the rest of its time',
    seen(accepted('node-1', minutes)),
    { do: 'wait', againMs: 29 * minutes },
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
    { do: 'wait', againMs: 5 * minutes },
  ],
  [
    'accepted by another, canceled long ago',
    seen({ ...accepted('node-2'), cancel: true }, { cancelSeenMs: t0 - 5 * minutes }),
    { do: 'end', phase: 'Canceled' },
  ],
  ['accepted at an unreadable time', seen({ phase: 'Accepted', acceptedByNode: 'node-1' }), { do: 'wait' }],

  ['prepared here', seen({ phase: 'Prepared', node: 'node-1' }), { do: 'start' }],
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
    seen({ phase: 'Canceling', node: 'node-1', cancel: true }, { active: true, cancelSeenMs: t0 - minutes }),
    { do: 'wait', againMs: 59 * minutes },
  ],
  [
    'canceling here for an hour',
    seen({ phase: 'Canceling', node: 'node-1', cancel: true }, { active: true, cancelSeenMs: t0 - 60 * minutes }),
    { do: 'end', phase: 'Canceled' },
  ],
  [
    'in progress elsewhere, canceled five minutes ago',
    seen({ phase: 'InProgress', node: 'node-2', cancel: true }, { cancelSeenMs: t0 - 5 * minutes }),
    { do: 'wait' },
  ],
  [
    'in progress elsewhere, canceled an hour ago',
    seen({ phase: 'InProgress', node: 'node-2', cancel: true }, { cancelSeenMs: t0 - 60 * minutes }),
    { do: 'end', phase: 'Canceled' },
  ],

  ['completed here', seen({ phase: 'Completed', node: 'node-1' }), { do: 'conclude' }],
  [
    'completed here, its log still coming over',
    seen({ phase: 'Completed', node: 'node-1' }, { active: true }),
    { do: 'wait' },
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
  ['completed and concluded', seen({ phase: 'Completed', node: 'node-1', finalizers: [] }), { do: 'nothing' }],
  [
    'completed, with the finalizer of somebody else',
    seen({ phase: 'Completed', node: 'node-1', finalizers: ['x'] }),
    { do: 'nothing' },
  ],
];

describe('what a node does about a movement', () => {
  it.each(rows)('%s', (_, sight, step) => {
    expect(decideMovement(sight)).toMatchObject(step);
  });
  it.each(dataMovementPhases.filter((phase) => !isTerminalPhase(phase)))(
    'deleted in %s: asks to cancel, whoever sees it',
    (phase) => {
      const object = aDataUpload({ phase, node: 'node-2', metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } });
      expect(decideMovement({ ...seen({}), object })).toEqual({
        do: 'request-cancel',
        message: 'Cancel dataupload because it is being deleted',
      });
    },
  );
  it('deleting a download says so in its own words', () => {
    const object = aDataDownload({ phase: 'Accepted', metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } });
    expect(decideMovement({ ...seen({}), object })).toMatchObject({
      message: 'Cancel datadownload because it is being deleted',
    });
  });
  it('a phase of a later version is an error of that object, not a guess', () => {
    expect(() => decideMovement(seen({ phase: 'Paused' as DataMovementPhase }))).toThrow(
      expect.objectContaining({ code: 'PHASE_UNKNOWN' }),
    );
  });
});

describe('whatever is seen', () => {
  const anySight = fc.record({
    phase: fc.constantFrom(...dataMovementPhases, undefined),
    node: fc.constantFrom('node-1', 'node-2', undefined),
    acceptedByNode: fc.constantFrom('node-1', 'node-2', undefined),
    cancel: fc.boolean(),
    deleted: fc.boolean(),
    pod: fc.constantFrom(undefined, running('node-1'), running('node-2'), {
      running: false,
      ended: true,
      node: 'node-1',
      failure: 'x',
    }),
    exposure: fc.constantFrom('none' as const, 'running' as const, 'done' as const),
    active: fc.boolean(),
    cancelAgoMs: fc.integer({ min: 0, max: 120 * minutes }),
    acceptedAgoMs: fc.integer({ min: 0, max: 60 * minutes }),
  });
  const sightOf = (s: typeof anySight extends fc.Arbitrary<infer T> ? T : never): Seen => {
    const status = { acceptedTimestamp: new Date(t0 - s.acceptedAgoMs).toISOString() };
    const object = aDataUpload({
      finalizers: [finalizer],
      cancel: s.cancel,
      status,
      metadata: s.deleted ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {},
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
      cancelSeenMs: t0 - s.cancelAgoMs,
    };
  };
  it('an ended movement is only ever concluded', () => {
    fc.assert(
      fc.property(anySight, (s) => {
        if (isTerminalPhase(s.phase)) expect(['nothing', 'wait', 'conclude']).toContain(decideMovement(sightOf(s)).do);
      }),
    );
  });
  it('what is canceled is never begun, prepared or started', () => {
    fc.assert(
      fc.property(anySight, (s) => {
        if (s.cancel)
          expect(['accept', 'expose', 'mark-prepared', 'start']).not.toContain(decideMovement(sightOf(s)).do);
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
