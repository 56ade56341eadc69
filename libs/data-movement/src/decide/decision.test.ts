import { aDataUpload } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { kindFacts } from '../gather/kind-facts.ts';
import type { Seen, SeenPod } from '../gather/seen.ts';
import { type UploadKindPorts, uploadKind } from '../kinds/upload-kind.ts';
import { movementLimits } from '../movement-limits.ts';
import { decide } from './decision.ts';
import type { Release } from './releases.ts';
import type { Step } from './step.ts';

const finalizer = 'velero.io/data-upload-download-finalizer';
const kind = uploadKind({} as UploadKindPorts);
const nowMs = Date.parse('2030-01-01T00:00:00Z');
const pod: SeenPod = {
  running: true,
  ended: false,
  unready: false,
  node: 'node-1',
  uid: 'pod',
  volumeBytes: 0,
  needsClient: false,
};
const acceptedNow = { status: { acceptedTimestamp: '2030-01-01T00:00:00Z' } };

function seen(upload: Parameters<typeof aDataUpload>[0], parts: Partial<Seen> = {}): Seen {
  const { node = 'node-1' } = parts;
  const object = aDataUpload({ finalizers: [finalizer], ...upload });
  return {
    ...kindFacts(kind, object, node),
    object,
    worked: 'this-attempt',
    node,
    mayBegin: true,
    standsIn: false,
    isTooLate: false,
    nowMs,
    exposure: 'done',
    exposedForMs: 5_000,
    explainedForMs: 0,
    active: false,
    ending: false,
    ownerLostForMs: 0,
    limits: movementLimits,
    ...parts,
  };
}

const accepted = { phase: 'Accepted', acceptedByNode: 'node-1', ...acceptedNow } as const;
const elsewhere = { phase: 'Accepted', acceptedByNode: 'node-2', ...acceptedNow } as const;
const runs = { phase: 'InProgress', node: 'node-1' } as const;

/** The facts, the next step, and what is released before it, in order. */
const rows: [string, Seen, Step['do'], Release[]][] = [
  ['a new one: nothing is kept from it', seen({}, { worked: 'nothing' }), 'accept', ['slot']],
  [
    'a new one that shall be canceled: its place in the line goes',
    seen({ cancel: true }, { worked: 'nothing' }),
    'end',
    ['room', 'exposure-place', 'slot'],
  ],
  [
    'one to be exposed: stands in line for that only',
    seen(accepted, { exposure: 'none' }),
    'expose',
    ['line-note', 'slot'],
  ],
  ['one that is being exposed', seen(accepted), 'wait', ['line-note', 'exposure-place', 'slot']],
  [
    'one that another node exposes again: our exposure of the attempt before is stopped',
    seen(elsewhere, { worked: 'earlier-attempt' }),
    'wait',
    ['earlier-attempt', 'line-note', 'exposure-place', 'slot'],
  ],
  [
    'another one of the same name: what is left of the first goes before anything is made',
    seen({}, { worked: 'another-object' }),
    'accept',
    ['another-object', 'slot'],
  ],
  [
    'a pod that runs: its slot, if it was given one, is about to be used',
    seen(accepted, { pod }),
    'mark-prepared',
    ['line-note', 'exposure-place'],
  ],
  [
    'prepared: it waits for a slot, and its exposure has ended',
    seen({ phase: 'Prepared', node: 'node-1' }, { pod }),
    'start',
    ['exposure', 'exposure-place'],
  ],
  [
    'prepared for another node: a slot of ours is not for it',
    seen({ phase: 'Prepared', node: 'node-2' }, { pod }),
    'nothing',
    ['exposure', 'exposure-place', 'slot'],
  ],
  ['running and watched', seen(runs, { active: true }), 'wait', ['exposure', 'line-note', 'exposure-place']],
  [
    'running, watched and to be canceled: what would follow the data path is not done, or undone',
    seen({ ...runs, cancel: true }, { active: true }),
    'mark-canceling',
    ['exposure', 'finishing', 'line-note', 'exposure-place'],
  ],
  ['running here since before our start', seen(runs), 'attach', ['exposure', 'line-note', 'exposure-place']],
  [
    'watched, and no longer ours: the watch ends before its slot continues',
    seen({ ...runs, node: 'node-2' }, { active: true }),
    'let-go',
    ['exposure', 'line-note', 'exposure-place'],
  ],
  [
    'running elsewhere',
    seen({ ...runs, node: 'node-2' }),
    'nothing',
    ['exposure', 'line-note', 'exposure-place', 'slot'],
  ],
  [
    'running elsewhere, while our exposure goes on: it ends, and is remembered',
    seen({ ...runs, node: 'node-2' }, { exposure: 'running' }),
    'nothing',
    ['running-exposure', 'line-note', 'exposure-place', 'slot'],
  ],
  [
    'running elsewhere since before our exposure was done: it is remembered',
    seen({ ...runs, node: 'node-2', status: { startTimestamp: '2029-12-31T23:59:50Z' } }),
    'nothing',
    ['running-exposure', 'line-note', 'exposure-place', 'slot'],
  ],
  [
    'ended: remembered until it has been concluded',
    seen({ phase: 'Completed', node: 'node-1' }),
    'conclude',
    ['exposure', 'line-note', 'exposure-place', 'slot'],
  ],
  [
    'concluded elsewhere: forgotten',
    seen({ phase: 'Completed', node: 'node-2', finalizers: [] }, { exposure: 'none' }),
    'nothing',
    ['memory', 'exposure', 'line-note', 'exposure-place', 'slot'],
  ],
  ...(['running', 'done'] as const).map((exposure): (typeof rows)[number] => [
    `concluded elsewhere while our exposure went on, which is ${exposure}: what it has made is taken away`,
    seen({ phase: 'Completed', node: 'node-2', finalizers: [] }, { exposure }),
    'nothing',
    ['late-exposure', 'memory', 'exposure', 'line-note', 'exposure-place', 'slot'],
  ]),
  [
    'concluded under the name of one that vanished: that one is taken away, and nothing is remembered',
    seen({ phase: 'Completed', node: 'node-2', finalizers: [] }, { worked: 'another-object', exposure: 'none' }),
    'nothing',
    ['another-object', 'memory', 'exposure', 'line-note', 'exposure-place', 'slot'],
  ],
  [
    'for another data mover, under the name of one of ours that vanished',
    seen({ spec: { datamover: 'other' } }, { worked: 'another-object' }),
    'nothing',
    ['another-object', 'room', 'exposure-place', 'slot'],
  ],
];

describe('what is released before the step', () => {
  it.each(rows)('%s', (_, sight, step, releases) => {
    expect(decide(sight)).toMatchObject({ step: { do: step }, releases });
  });
});
