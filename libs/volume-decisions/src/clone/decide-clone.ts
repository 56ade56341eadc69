import { apiTime } from '@lateen/kube';
import { int64Of, type Snapshot, type VolumeCloneStatus, type VolumeStatus } from '@lateen/storage-types';
import { withCondition } from '../conditions/with-condition.ts';
import { pendingContent } from '../content/content-of.ts';
import type { Decision, EventWish } from '../decision/decision.ts';
import { newSnapshot } from '../snapshot/new-snapshot.ts';
import { isServing } from '../volume/volume-facts.ts';
import type { CloneEffect, CloneSeen } from './clone-seen.ts';
import { cloneSnapshotName, dataSourceOf } from './data-source.ts';

type CloneDecision = Decision<VolumeStatus, CloneEffect>;

/** Number of attempts; each copies from the beginning. */
export const cloneAttemptsMax = 10;
/** Delay between two attempts, at first and at most. */
const retryFirstMs = 10_000;
const retryMaxMs = 300_000;

/** Errors that another attempt would only repeat. */
const finalCodes: readonly string[] = ['BLOCK_SINK_SMALL'];

/**
 * The next step for a volume whose first content is a copy of another volume, or of a snapshot of it: both volumes are attached by their own tickets,
 * then the engine on the clone's node copies. A step takes effect only after it is recorded: no attempt begins before its number is in the status.
 */
export function decideClone(seen: CloneSeen, nowMs: number): CloneDecision {
  const { volume } = seen;
  const { state = '' } = volume.status?.cloneStatus ?? {};
  if (state === '' || volume.spec.dataSource === undefined) return stay(seen);
  if (state !== 'initiated' || volume.metadata.deletionTimestamp !== undefined)
    return { ...stay(seen), effects: leftovers(seen) };
  const problem = impossible(seen);
  if (problem !== undefined) return failed(seen, problem, nowMs);
  return goOn(seen, nowMs);
}

const stay = ({ volume }: CloneSeen, waitsFor?: string): CloneDecision => ({
  status: volume.status ?? {},
  effects: [],
  events: [],
  ...(waitsFor === undefined ? {} : { waitsFor }),
});

const cloneOf = ({ volume }: CloneSeen): VolumeCloneStatus => volume.status?.cloneStatus ?? {};
const attemptOf = (seen: CloneSeen): number => cloneOf(seen).attemptCount ?? 0;

/** The snapshot was taken only for this clone. */
const isOwnSnapshot = ({ volume }: CloneSeen): boolean => dataSourceOf(volume)?.snapshot === undefined;

/** What a clone that has ended leaves behind: its transfer, and the snapshot that was taken only for it. */
function leftovers(seen: CloneSeen): CloneEffect[] {
  const { transfer, snapshot, volume } = seen;
  const isOwn = isOwnSnapshot(seen) && snapshot?.metadata.name === cloneSnapshotName(volume);
  return [
    ...(transfer.state === 'absent' || transfer.state === 'silent'
      ? []
      : [{ do: 'stop-clone' as const, attempt: attemptOf(seen) }]),
    ...(isOwn && snapshot.metadata.deletionTimestamp === undefined ? [{ do: 'delete-snapshot' as const }] : []),
  ];
}

/** Why the copy can never be made, in words. */
function impossible(seen: CloneSeen): string | undefined {
  const { volume, source, snapshot } = seen;
  const from = dataSourceOf(volume);
  if (from === undefined) return `data source ${JSON.stringify(volume.spec.dataSource)} cannot be read`;
  if (source === undefined) return `volume ${from.volume}, which it is cloned from, is not there`;
  if (source.metadata.deletionTimestamp !== undefined)
    return `volume ${from.volume}, which it is cloned from, is being deleted`;
  if (volume.spec.cloneMode === 'linked-clone') return 'clone mode linked-clone is not there: take full-copy';
  const bytes = BigInt(snapshot?.status?.restoreSize ?? int64Of(source.spec.size) ?? 0n);
  const size = int64Of(volume.spec.size) ?? 0n;
  if (size < bytes) return `a clone of ${bytes} bytes cannot have ${size}`;
  return snapshotProblem(seen);
}

function snapshotProblem(seen: CloneSeen): string | undefined {
  const { snapshot } = seen;
  const { snapshot: name = '', sourceVolume = '' } = cloneOf(seen);
  const isNew = isOwnSnapshot(seen) && attemptOf(seen) === 0;
  if (snapshot === undefined)
    return isNew ? undefined : `volume ${sourceVolume} does not have snapshot ${name} any more`;
  if (snapshot.spec.volume !== sourceVolume) return `snapshot ${name} is one of volume ${snapshot.spec.volume}`;
  const { markRemoved = false, error = '' } = snapshot.status ?? {};
  if (markRemoved) return `snapshot ${name} of volume ${sourceVolume} is deleted`;
  return error === '' ? undefined : `snapshot ${name} of volume ${sourceVolume}: ${error}`;
}

function failed(seen: CloneSeen, message: string, nowMs: number): CloneDecision {
  const { status = {} } = seen.volume;
  return {
    status: { ...told(status, 'CloneFailed', message, nowMs), cloneStatus: { ...cloneOf(seen), state: 'failed' } },
    effects: [],
    events: [{ type: 'Warning', reason: 'CloneFailed', message: `the clone has failed: ${message}` }],
  };
}

const told = (status: VolumeStatus, reason: string, message: string, nowMs: number): VolumeStatus => ({
  ...status,
  conditions: withCondition(status.conditions, { type: 'Restore', status: 'False', reason, message }, nowMs),
});

function goOn(seen: CloneSeen, nowMs: number): CloneDecision {
  const { source, snapshot } = seen;
  const { sourceVolume = '', snapshot: name = '' } = cloneOf(seen);
  const waits = (waitsFor: string, effects: readonly CloneEffect[] = []) => ({ ...stay(seen, waitsFor), effects });
  if (source !== undefined && pendingContent(source) !== undefined)
    return waits(`the content of volume ${sourceVolume} to be there`);
  if (snapshot === undefined) {
    const object = source && ownSnapshot(seen, source, name);
    return waits(`snapshot ${name} to be made`, object && [{ do: 'create-snapshot', object }]);
  }
  if (snapshot.status?.readyToUse !== true) return waits(`snapshot ${name} of volume ${sourceVolume} to be taken`);
  if (seen.transfer.state === 'completed') return completed(seen, nowMs);
  if (seen.transfer.state === 'running') return waits('the copy to end');
  if (!isServing(seen.engine)) return waits('the clone to be attached by its own ticket');
  if (seen.transfer.state === 'silent') return waits('the instance manager of its engine to answer');
  return nextTry(seen, nowMs);
}

/** It is deleted with the source; its labels say what it is for. */
const ownSnapshot = ({ volume }: CloneSeen, source: NonNullable<CloneSeen['source']>, name: string): Snapshot =>
  newSnapshot(source, { name, labels: { clone: volume.metadata.name ?? '' } });

function completed(seen: CloneSeen, nowMs: number): CloneDecision {
  const { status = {} } = seen.volume;
  const hadTrouble = status.conditions?.some(({ type, message = '' }) => type === 'Restore' && message !== '');
  const done: EventWish = {
    type: 'Normal',
    reason: 'CloneCompleted',
    message: `the volume has the content of ${seen.volume.spec.dataSource}`,
  };
  return {
    status: {
      ...(hadTrouble === true ? told(status, '', '', nowMs) : status),
      cloneStatus: { ...cloneOf(seen), state: 'completed', nextAllowedAttemptAt: '' },
    },
    effects: [{ do: 'mark-filled' }],
    events: [done],
  };
}

function nextTry(seen: CloneSeen, nowMs: number): CloneDecision {
  const { transfer, volume } = seen;
  const clone = cloneOf(seen);
  const attempt = attemptOf(seen);
  const notBeforeMs = Date.parse(clone.nextAllowedAttemptAt ?? '') || 0;
  if (notBeforeMs > 0 && notBeforeMs > nowMs) {
    const reason = 'another try after a while';
    // Only after its failure is recorded: when it is stopped, its error is lost.
    const effects = transfer.state === 'failed' ? [{ do: 'stop-clone' as const, attempt }] : [];
    return { ...stay(seen, reason), effects, again: { afterMs: notBeforeMs - nowMs, reason } };
  }
  if (transfer.state === 'failed' && notBeforeMs === 0) return tryFailed(seen, transfer, nowMs);
  const { readable } = seen;
  if (readable.length === 0) return stay(seen, `volume ${clone.sourceVolume} to be attached by a ticket of the clone`);
  if (attempt === 0 || notBeforeMs > 0)
    return {
      ...stay(seen, 'the copy to begin'),
      status: {
        ...volume.status,
        cloneStatus: { ...clone, attemptCount: attempt + 1, nextAllowedAttemptAt: '' },
      },
    };
  // Another replica each time, so that one unreadable replica does not block the clone.
  const replica = readable[(attempt - 1) % readable.length] ?? '';
  return { ...stay(seen, 'the copy to begin'), effects: [{ do: 'start-clone', attempt, replica }] };
}

function tryFailed(
  seen: CloneSeen,
  { code, error }: { readonly code: string; readonly error: string },
  nowMs: number,
): CloneDecision {
  const attempt = attemptOf(seen);
  if (finalCodes.includes(code)) return failed(seen, error, nowMs);
  if (attempt >= cloneAttemptsMax) return failed(seen, `${attempt} tries, the last of which: ${error}`, nowMs);
  const afterMs = Math.min(retryMaxMs, retryFirstMs * 2 ** (attempt - 1));
  const message = `try ${attempt} of ${cloneAttemptsMax} to copy ${seen.volume.spec.dataSource}: ${error}`;
  return {
    status: {
      ...told(seen.volume.status ?? {}, 'CloneRetried', message, nowMs),
      cloneStatus: { ...cloneOf(seen), nextAllowedAttemptAt: apiTime(nowMs + afterMs) },
    },
    effects: [],
    events: [{ type: 'Warning', reason: 'CloneRetried', message }],
    again: { afterMs, reason: 'another try after a while' },
  };
}
