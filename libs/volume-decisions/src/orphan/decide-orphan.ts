import { type Condition, longhornFinalizer, type OrphanStatus } from '@lateen/storage-types';
import { withCondition } from '../conditions/with-condition.ts';
import type { Decision } from '../decision/decision.ts';
import { whyKept } from './cleanable.ts';
import type { OrphanEffect, OrphanSeen } from './orphan-seen.ts';

/**
 * Decides about an Orphan. Deleting it deletes the data or ends the process, if that is allowed at that moment; otherwise only the object is deleted.
 * Automatic deletion happens only where the setting names the kind, and after deletion was allowed for the whole grace period.
 */
export function decideOrphan(seen: OrphanSeen, nowMs: number): Decision<OrphanStatus, OrphanEffect> {
  const { orphan, folder, instance } = seen;
  const { deletionTimestamp, finalizers = [] } = orphan.metadata;
  const kept = whyKept(seen);
  const isFolder = orphan.spec.orphanType === 'replica';
  const status = { ...orphan.status, conditions: conditionsOf(seen, isFolder, kept, nowMs) };
  const told = (effects: readonly OrphanEffect[], more: object = {}) => ({ status, effects, events: [], ...more });
  const remove: OrphanEffect = { do: isFolder ? 'delete-data' : 'stop-instance' };
  if (deletionTimestamp !== undefined) {
    if (!finalizers.includes(longhornFinalizer)) return told([]);
    return told(kept === undefined ? [remove, { do: 'drop-finalizer' }] : [{ do: 'drop-finalizer' }]);
  }
  // The folder or process is gone, or belongs to an object again.
  if ((isFolder ? folder : instance) === 'gone' || seen.owner !== undefined) return told([{ do: 'delete-orphan' }]);
  if (kept !== undefined || !deletesByItself(seen, isFolder)) return told([]);
  const graceMs = seen.settings.number('orphan-resource-auto-deletion-grace-period') * 1000;
  const afterMs = sinceMs(seen, status.conditions, isFolder, nowMs) + graceMs - nowMs;
  if (afterMs <= 0) return told([{ do: 'delete-orphan' }]);
  return told([], { again: { afterMs, reason: 'the end of the grace period' } });
}

function conditionsOf(
  seen: OrphanSeen,
  isFolder: boolean,
  kept: ReturnType<typeof whyKept>,
  nowMs: number,
): Condition[] {
  const before = seen.orphan.status?.conditions;
  if (isFolder) {
    const { reason = '', message = '' } = kept ?? {};
    return withCondition(
      before,
      { type: 'DataCleanable', status: kept === undefined ? 'True' : 'False', reason, message },
      nowMs,
    );
  }
  const runs = seen.instance === undefined ? 'Unknown' : kept === undefined ? 'True' : 'False';
  const { reason = '', message = '' } = kept ?? {};
  return withCondition(before, { type: 'InstanceExist', status: runs, reason, message }, nowMs);
}

const kindsOf = (text: string): readonly string[] => text.split(';').map((each) => each.trim());

const deletesByItself = ({ settings }: OrphanSeen, isFolder: boolean): boolean =>
  kindsOf(settings.text('orphan-resource-auto-deletion')).includes(isFolder ? 'replica-data' : 'instance');

/** Start of the grace period: when it was found, and deletion was allowed. */
function sinceMs({ orphan }: OrphanSeen, conditions: readonly Condition[], isFolder: boolean, nowMs: number): number {
  const type = isFolder ? 'DataCleanable' : 'InstanceExist';
  const condition = conditions.find((each) => each.type === type);
  const times = [orphan.metadata.creationTimestamp, condition?.lastTransitionTime].map((text) =>
    Date.parse(text ?? ''),
  );
  return Math.max(...times.map((ms) => (Number.isNaN(ms) ? nowMs : ms)));
}
