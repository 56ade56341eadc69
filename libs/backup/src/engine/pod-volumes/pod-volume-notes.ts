import type { Logger } from '@lateen/kernel';
import { keyOf, keyText } from '@lateen/kube';
import { logFieldsOf } from '../items/item.ts';
import { type ItemRecord, placeText, type RecordedItem } from '../items/item-record.ts';
import type { Trouble } from '../items/troubles.ts';
import { type FollowedVolume, failureOf } from './followed-volumes.ts';

/** The value of `by` in an outcome which says that a volume was not read. */
const podVolumesName = 'pod volume backup';

/** Why a volume is not read. */
export interface Refusal {
  level: 'warn' | 'error';
  reason: string;
}

interface Noted {
  pod: RecordedItem;
  /** The problem that an action has reported for the pod. */
  trouble: Trouble | undefined;
  warnings: string[];
  errors: string[];
}

/**
 * Reports on pod volumes: log lines as things happen, and when all volumes have ended one outcome for each pod, with the worst problem that
 * was reported.
 */
export class PodVolumeNotes {
  readonly #byPod = new Map<string, Noted>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** From here on only {@link tellOutcomes} reports the outcome of the pod. @returns false when the pod is known already */
  begin(pod: RecordedItem, trouble: Trouble | undefined): boolean {
    if (this.#byPod.has(placeText(pod))) return false;
    this.#byPod.set(placeText(pod), { pod, trouble, warnings: [], errors: [] });
    return true;
  }

  refused(pod: RecordedItem, volume: string, { level, reason }: Refusal): void {
    const begins =
      level === 'error' ? `Error backing up pod volume ${volume}` : `pod volume ${volume} is not backed up`;
    this.#add(pod, level, { ...logFieldsOf(pod), volume }, `${begins}: ${reason}`);
  }

  /** Call it also for a volume that is given up before its end. */
  ended(followed: FollowedVolume): void {
    const { pod, object } = followed;
    const { volume } = object.spec;
    const fields = { ...logFieldsOf(pod), volume, podVolumeBackup: keyText(keyOf(object)) };
    const failure = failureOf(followed);
    const { message = '', snapshotID = '', progress } = object.status ?? {};
    if (failure !== undefined) this.#add(pod, 'error', fields, failure);
    // Without a snapshot, the message says that the volume was empty.
    else if (message !== '' && snapshotID !== '')
      this.#add(pod, 'warn', fields, `pod volume ${volume} is backed up: ${message}`);
    else this.#log.info({ ...fields, bytes: progress?.totalBytes ?? 0, message }, 'pod volume is backed up');
  }

  tellOutcomes(record: Pick<ItemRecord, 'noted'>): void {
    for (const { pod, trouble, warnings, errors } of this.#byPod.values()) {
      const by = podVolumesName;
      if (errors.length > 0) record.noted(pod, { outcome: 'Failed', reason: errors.join('; '), by });
      else if (trouble !== undefined) record.noted(pod, { outcome: 'Warning', ...trouble });
      else if (warnings.length > 0) record.noted(pod, { outcome: 'Warning', reason: warnings.join('; '), by });
    }
  }

  #add(pod: RecordedItem, level: Refusal['level'], fields: Record<string, unknown>, text: string): void {
    this.#log[level](fields, text);
    this.#byPod.get(placeText(pod))?.[level === 'error' ? 'errors' : 'warnings'].push(text);
  }
}
