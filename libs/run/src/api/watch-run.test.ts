import { annotations, type Restore, type RestorePhase, restoreType } from '@lateen/api-types';
import { expect, it } from 'vitest';
import { phaseTable } from '../phases/phase-table.ts';
import type { RunKind } from '../run-kind.ts';
import { interruption, type RunInterruption } from './watch-run.ts';

const kind = {
  type: restoreType,
  word: 'restore',
  unclaimed: 'New',
  phases: phaseTable<RestorePhase>({
    New: ['InProgress'],
    InProgress: ['Finalizing'],
    Finalizing: [],
  } as unknown as Record<RestorePhase, RestorePhase[]>),
  underWay: ['InProgress'],
  finalizer: 'f',
} as RunKind<Restore>;

const restore = (
  phase: RestorePhase,
  worker: string | undefined,
  parts: { uid?: string; cancel?: boolean; deleted?: boolean } = {},
): Restore => ({
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: {
    name: 'r',
    uid: parts.uid ?? 'u',
    ...(worker === undefined ? {} : { annotations: { [annotations.workedOnBy]: worker } }),
    ...(parts.deleted === true ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
  },
  spec: parts.cancel === true ? { cancel: true } : {},
  status: { phase },
});
const run = restore('InProgress', 'me');

it.each<[title: string, now: Restore, before: string | undefined, expected: RunInterruption | undefined]>([
  ['continues without changes', run, undefined, undefined],
  ['ends when it is cancelled', restore('InProgress', 'me', { cancel: true }), undefined, 'RUN_CANCELED'],
  ['ends when it is deleted', restore('InProgress', 'me', { deleted: true }), undefined, 'RUN_DELETED'],
  ['ends when there is another of its name', restore('InProgress', 'me', { uid: 'v' }), undefined, 'RUN_DELETED'],
  ['ends when another process works on it', restore('InProgress', 'you'), undefined, 'RUN_TAKEN_OVER'],
  ['ends when another process has continued it', restore('Finalizing', 'me'), undefined, 'RUN_TAKEN_OVER'],
  ['continues when a stale cache shows it before its claim', restore('New', undefined), undefined, undefined],
  ['ends when it was cancelled in that state', restore('New', undefined, { cancel: true }), undefined, 'RUN_CANCELED'],
  ['continues when a stale cache shows the previous worker', restore('InProgress', 'gone'), 'gone', undefined],
  ['ends when a third process works on it', restore('InProgress', 'you'), 'gone', 'RUN_TAKEN_OVER'],
  [
    'ends when it is cancelled, in that state, too',
    restore('InProgress', 'gone', { cancel: true }),
    'gone',
    'RUN_CANCELED',
  ],
])('a run %s', (_, now, before, expected) => {
  expect(interruption(kind, run, now, before)).toBe(expected);
});
