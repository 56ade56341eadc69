import { aPodVolumeBackup, aPodVolumeRestore } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { kindFacts } from '../gather/kind-facts.ts';
import type { Seen, SeenPod } from '../gather/seen.ts';
import { podVolumeBackupKind } from '../kinds/pod-volume-backup-kind.ts';
import type { PodVolumeKindPorts } from '../kinds/pod-volume-kind.ts';
import { podVolumeRestoreKind } from '../kinds/pod-volume-restore-kind.ts';
import { movementLimits } from '../movement-limits.ts';
import { decideMovement } from './decide-movement.ts';
import type { Step } from './step.ts';

const t0 = Date.parse('2030-01-01T00:00:00Z');
const seconds = 1_000;
const minutes = 60 * seconds;
const finalizers = ['velero.io/pod-volume-finalizer'];
const ports = {} as PodVolumeKindPorts;
const [backupKind, restoreKind] = [podVolumeBackupKind(ports), podVolumeRestoreKind(ports)];

const rest = {
  worked: 'nothing',
  nowMs: t0,
  exposure: 'running',
  explainedForMs: 0,
  active: false,
  ending: false,
  ownerLostForMs: 0,
  standsIn: false,
  mayBegin: false,
  client: 'there',
  isTooLate: false,
  limits: movementLimits,
} as const satisfies Partial<Seen>;

/** Seen by node-1. */
function backup(parts: Parameters<typeof aPodVolumeBackup>[0], seen: Partial<Seen> = {}): Seen {
  const { node = 'node-1' } = seen;
  const object = aPodVolumeBackup({ finalizers, ...parts });
  return { ...rest, ...kindFacts(backupKind, object, node), object, node, ...seen };
}
function restore(parts: Parameters<typeof aPodVolumeRestore>[0], seen: Partial<Seen> = {}): Seen {
  const { node = 'node-1' } = seen;
  const object = aPodVolumeRestore({ finalizers, ...parts });
  return { ...rest, ...kindFacts(restoreKind, object, node), object, node, ...seen };
}

const elsewhere = { spec: { node: 'node-2' } };
const lost = { ownerLostForMs: 2 * minutes };
const created = (agoMs: number) => ({
  name: 'restore',
  namespace: 'velero',
  creationTimestamp: new Date(t0 - agoMs).toISOString(),
});
const acceptedNow = { acceptedTimestamp: new Date(t0).toISOString() };
const pod: SeenPod = {
  uid: 'pod',
  running: true,
  ended: false,
  unready: false,
  node: 'node-1',
  volumeBytes: 0,
  needsClient: true,
};
const endedPod = { ...pod, running: false, ended: true };

const rows: [string, Seen, Partial<Step>][] = [
  ['a new backup of this node is accepted', backup({}, { mayBegin: true }), { do: 'accept' }],
  ['a new backup of another node is left to it', backup(elsewhere), { do: 'nothing' }],
  ['whoever sees it may cancel it before it is begun', backup({ ...elsewhere, cancel: true }), { do: 'end' }],
  [
    'a new backup of a node that has just lost its agent waits a moment',
    backup(elsewhere, { ownerLostForMs: 1 * minutes }),
    { do: 'wait', againMs: 1 * minutes },
  ],
  ['a new backup of a node without an agent fails', backup(elsewhere, lost), { do: 'end', phase: 'Failed' }],
  [
    'an accepted backup whose node has lost its agent fails: nobody else reaches the volume',
    backup({ ...elsewhere, phase: 'Accepted', status: acceptedNow }, lost),
    { do: 'end', phase: 'Failed' },
  ],
  [
    'a prepared restore whose node has lost its agent waits for it, and says so',
    restore({ phase: 'Prepared', node: 'node-2', status: acceptedNow }, { ...lost, pod }),
    { do: 'wait', againMs: 28 * minutes },
  ],
  [
    'a prepared restore whose node is not heard of any more fails',
    restore({ phase: 'Prepared', node: 'node-2' }, { ...lost, pod: { ...pod, unready: true } }),
    { do: 'end', phase: 'Failed' },
  ],
  [
    'a mover without a node-agent continues',
    backup({ ...elsewhere, phase: 'InProgress' }, { ...lost, pod }),
    { do: 'wait' },
  ],
  [
    'a mover on a node that is lost itself has failed',
    backup({ ...elsewhere, phase: 'InProgress' }, { ...lost, pod: { ...pod, unready: true } }),
    { do: 'end', phase: 'Failed' },
  ],
  [
    'its end is recorded by the first of the other nodes',
    backup({ ...elsewhere, phase: 'InProgress' }, { ...lost, pod: endedPod, standsIn: true }),
    { do: 'attach' },
  ],
  [
    'and by no other one',
    backup({ ...elsewhere, phase: 'InProgress' }, { ...lost, pod: endedPod }),
    { do: 'wait', againMs: 1 * minutes },
  ],
  [
    'who has taken that on continues with it',
    backup({ ...elsewhere, phase: 'InProgress' }, { ...lost, pod: endedPod, standsIn: true, active: true }),
    { do: 'wait' },
  ],
  [
    'until the node has its agent back',
    backup({ ...elsewhere, phase: 'InProgress' }, { pod: endedPod, standsIn: true, active: true }),
    { do: 'let-go' },
  ],
  [
    'a hosting pod that is lost is tried again on its node',
    backup({ phase: 'Accepted', status: acceptedNow }, { pod: { ...endedPod, failure: 'evicted', lost: true } }),
    { do: 'try-again', cause: 'evicted' },
  ],
  [
    'a backup that takes too long to be prepared says it in the words of Velero',
    backup({ phase: 'Accepted', status: { acceptedTimestamp: new Date(t0 - 30 * minutes).toISOString() } }),
    { do: 'end', message: 'timeout on preparing PVB', diagnose: true },
  ],
  [
    'and so does a restore',
    restore({
      phase: 'Accepted',
      node: 'node-1',
      status: { acceptedTimestamp: new Date(t0 - 30 * minutes).toISOString() },
    }),
    { do: 'end', message: 'timeout on preparing PVR', diagnose: true },
  ],

  [
    'a new restore whose pod waits here is accepted',
    restore({}, { client: 'waits', mayBegin: true }),
    { do: 'accept' },
  ],
  ['a new restore whose pod is elsewhere is left alone', restore({}, { client: 'absent' }), { do: 'nothing' }],
  [
    'a new restore whose pod is here and does not wait yet: a moment',
    restore({ metadata: created(10 * seconds) }, { explainedForMs: undefined }),
    { do: 'wait', againMs: 20 * seconds },
  ],
  [
    'then somebody looks why',
    restore({ metadata: created(30 * seconds) }, { explainedForMs: undefined }),
    { do: 'look-for-client' },
  ],
  [
    'and again after a while',
    restore({ metadata: created(90 * seconds) }, { explainedForMs: 50 * seconds }),
    { do: 'wait', againMs: 10 * seconds },
  ],
  [
    'where no node shows the pod, the first of all looks',
    restore({ metadata: created(30 * seconds) }, { client: 'absent', standsIn: true, explainedForMs: undefined }),
    { do: 'look-for-client' },
  ],

  ...(['Accepted', 'Prepared'] as const).map((phase): [string, Seen, Partial<Step>] => [
    `the pod has begun before a restore that is ${phase}: nothing is written under it`,
    restore({ phase, node: 'node-1', status: acceptedNow }, { client: 'begun', isTooLate: true, pod }),
    { do: 'end-without-client' },
  ]),
  [
    'the pod has been told to begin while its volume is filled: the mover stops, however it reaches the volume',
    restore(
      { phase: 'InProgress', node: 'node-1' },
      { client: 'begun-without', isTooLate: true, pod: { ...pod, needsClient: false }, active: true },
    ),
    { do: 'end-without-client' },
  ],
  [
    'and when the mover has ended before, that is what counts',
    restore(
      { phase: 'InProgress', node: 'node-1' },
      { client: 'begun-without', isTooLate: true, pod: endedPod, active: true },
    ),
    { do: 'wait' },
  ],

  ...(['absent', 'ended'] as const).flatMap((client): [string, Seen, Partial<Step>][] => [
    [
      `the pod is ${client} while its volume is read by the path on the node`,
      backup({ phase: 'InProgress' }, { client, pod, active: true }),
      { do: 'end-without-client' },
    ],
    [
      `the pod is ${client} before the data path begins`,
      restore({ phase: 'Prepared', node: 'node-1' }, { client, pod }),
      { do: 'end-without-client' },
    ],
    [
      `the pod is ${client}, and the mover has ended before: that tells how it ended`,
      backup({ phase: 'InProgress' }, { client, pod: endedPod, active: true }),
      { do: 'wait' },
    ],
    [
      `the pod is ${client}, and the volume is mounted without it`,
      backup({ phase: 'InProgress' }, { client, pod: { ...pod, needsClient: false }, active: true }),
      { do: 'wait' },
    ],
    [
      `the pod is ${client}, and the end is being recorded: what that is worth is looked at there`,
      backup({ phase: 'InProgress' }, { client, pod, active: true, ending: true }),
      { do: 'wait' },
    ],
    [
      `the pod is ${client}, and the backup is canceled: the mover stops`,
      backup({ phase: 'Canceling', cancel: true }, { client, pod, active: true, cancelSeenMs: t0 }),
      { do: 'wait' },
    ],
  ]),
];

describe('a movement of a volume of a running pod', () => {
  it.each(rows)('%s', (_title, seen, step) => {
    expect(decideMovement(seen)).toMatchObject(step);
  });
});
