import {
  annotations,
  type Backup,
  type BackupStorageLocation,
  backupType,
  type DeleteBackupRequest,
  deleteBackupRequestType,
  getValidName,
  labels,
  type Restore,
  type Schedule,
} from '@lateen/api-types';
import type { Clock, Logger } from '@lateen/kernel';
import { isNotFound, type KubeApi, keyText, type ObjectKey } from '@lateen/kube';
import {
  again,
  type EventRecorder,
  eventSubject,
  type Outcome,
  type Reconciler,
  settled,
  waiting,
} from '@lateen/kube-runtime';
import { decideExpiry, type ExpiryStep, type ExpiryView } from './decide-expiry.ts';
import { keepAtLeast } from './keep-at-least.ts';

export interface ExpiryPorts {
  kube: KubeApi;
  /** From informers' caches, as all below. */
  getBackup(key: ObjectKey): Backup | undefined;
  getLocation(key: ObjectKey): BackupStorageLocation | undefined;
  /** By the value of a Backup's label. */
  scheduleOf(label: string): Schedule | undefined;
  backupsOf(scheduleLabel: string): readonly Backup[];
  requestsOf(backupName: string): readonly DeleteBackupRequest[];
  restores(): readonly Restore[];
  /** How often expired backups that stay are checked again. */
  frequencyMs: number;
  events: EventRecorder;
  clock: Clock;
  log: Logger;
}

/** Reasons of Events. */
export const expiryReasons = { keepUnreadable: 'KeepAtLeastInvalid' } as const;

/** A request that was made is seen through the watch within this time; until then no other is made. */
const seenWithinMs = 60_000;

/** Asks for the deletion of Backups that have expired. Each has a timer; the deletion itself is a DeleteBackupRequest's. */
export function expiryReconciler(ports: ExpiryPorts): Reconciler {
  const asked = new Map<string, { uid: string | undefined; atMs: number }>();
  const told = new Set<string>();
  return {
    reconcile: async (key, signal) => {
      const backup = ports.getBackup(key);
      if (backup === undefined) {
        asked.delete(keyText(key));
        return settled;
      }
      const view = viewOf(ports, backup);
      tellUnreadable(ports, view, told);
      const step = decideExpiry(view);
      await writeFailure(ports, backup, step, signal);
      switch (step.kind) {
        case 'rest':
          return waiting(step.on);
        case 'wait':
          // A clock that is set, or a host that slept, is noticed by then.
          return again(Math.min(step.afterMs, ports.frequencyMs), 'it may have expired');
        case 'stay':
          ports.log.debug({ backup: key.name, why: step.detail }, 'an expired backup stays');
          return again(ports.frequencyMs, step.detail);
        case 'delete':
          return await ask(ports, backup, asked, signal);
        default:
          return step satisfies never;
      }
    },
  };
}

function viewOf(ports: ExpiryPorts, backup: Backup): ExpiryView {
  const { namespace, name = '' } = backup.metadata;
  const label = backup.metadata.labels?.[labels.scheduleName];
  const siblings = label === undefined ? [] : ports.backupsOf(label);
  return {
    backup,
    location: ports.getLocation({ namespace, name: backup.spec.storageLocation ?? '' }),
    requests: ports.requestsOf(name),
    restores: ports.restores(),
    keep: label === undefined ? { kind: 'none' } : keepAtLeast(ports.scheduleOf(label), siblings),
    siblings,
    nowMs: ports.clock.now(),
  };
}

async function ask(
  { kube, clock, log, frequencyMs }: ExpiryPorts,
  backup: Backup,
  asked: Map<string, { uid: string | undefined; atMs: number }>,
  signal: AbortSignal,
): Promise<Outcome> {
  const { namespace = '', name = '', uid } = backup.metadata;
  const key = keyText({ namespace, name });
  const last = asked.get(key);
  const sinceMs = clock.monotonicMs() - (last?.atMs ?? 0);
  if (last !== undefined && last.uid === uid && sinceMs < seenWithinMs)
    return again(seenWithinMs - sinceMs, 'whether its deletion has been asked for');
  await kube.create(deleteBackupRequestType, expiredRequest(backup), { namespace, signal });
  asked.set(key, { uid, atMs: clock.monotonicMs() });
  log.info({ backup: name, expiration: backup.status?.expiration }, 'a backup has expired and is to be deleted');
  return again(frequencyMs, 'whether it is gone');
}

function expiredRequest({ metadata }: Backup): DeleteBackupRequest {
  const { name = '', namespace = '', uid = '' } = metadata;
  return {
    apiVersion: 'velero.io/v1',
    kind: 'DeleteBackupRequest',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { [labels.backupName]: getValidName(name), [labels.backupUid]: uid },
    },
    spec: { backupName: name },
  };
}

/** The label by which operators find what cannot be deleted; it goes when the reason has gone. */
async function writeFailure(
  { kube }: ExpiryPorts,
  { metadata }: Backup,
  step: ExpiryStep,
  signal: AbortSignal,
): Promise<void> {
  const wanted = step.kind === 'stay' ? step.failure : undefined;
  if (metadata.labels?.[labels.gcFailure] === wanted) return;
  const { namespace, name = '', uid } = metadata;
  const body = { metadata: { uid, labels: { [labels.gcFailure]: wanted ?? null } } };
  await kube.patch(backupType, { namespace, name }, { type: 'merge', body }, { signal }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/** Once for each text: it keeps backups for ever. */
function tellUnreadable(
  { events, log, scheduleOf }: ExpiryPorts,
  { backup, keep }: ExpiryView,
  told: Set<string>,
): void {
  if (keep.kind !== 'unreadable') return;
  const label = backup.metadata.labels?.[labels.scheduleName] ?? '';
  const id = `${label} ${keep.text}`;
  if (told.has(id)) return;
  if (told.size >= toldMax) told.clear();
  told.add(id);
  const message = `annotation ${annotations.keepAtLeast} ${JSON.stringify(keep.text)} is not a number: all good backups of the schedule are kept`;
  log.warn({ schedule: label }, message);
  const schedule = scheduleOf(label);
  events.record(eventSubject(schedule ?? backup), expiryReasons.keepUnreadable, message, { type: 'Warning' });
}

const toldMax = 10_000;
