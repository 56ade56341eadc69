import { type ItemRecord, placeText, type RecordedItem } from '../items/item-record.ts';
import type { Trouble } from '../items/troubles.ts';

/** Who says in an outcome that a volume was not read. */
const podVolumesName = 'pod volume backup';

interface Noted {
  pod: RecordedItem;
  /** What an action said of the pod. */
  trouble: Trouble | undefined;
  warnings: string[];
  errors: string[];
}

/** What is told of the volumes of each pod until all have ended: each object has one outcome, and the worst of them is it. */
export class PodNotes {
  readonly #byPod = new Map<string, Noted>();

  /** From here on the outcome of the pod is told by {@link tell} alone. @returns false when it is known already */
  begin(pod: RecordedItem, trouble: Trouble | undefined): boolean {
    if (this.#byPod.has(placeText(pod))) return false;
    this.#byPod.set(placeText(pod), { pod, trouble, warnings: [], errors: [] });
    return true;
  }

  add(pod: RecordedItem, kind: 'warnings' | 'errors', reason: string): void {
    this.#byPod.get(placeText(pod))?.[kind].push(reason);
  }

  tell(record: Pick<ItemRecord, 'noted'>): void {
    for (const { pod, trouble, warnings, errors } of this.#byPod.values()) {
      const by = podVolumesName;
      if (errors.length > 0) record.noted(pod, { outcome: 'Failed', reason: errors.join('; '), by });
      else if (trouble !== undefined) record.noted(pod, { outcome: 'Warning', ...trouble });
      else if (warnings.length > 0) record.noted(pod, { outcome: 'Warning', reason: warnings.join('; '), by });
    }
  }
}
