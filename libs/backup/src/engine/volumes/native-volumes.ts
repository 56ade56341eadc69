import type { Unstructured } from '@lateen/api-types';
import type { NativeSnapshot } from '@lateen/backup-store';
import { describeError } from '@lateen/errors';
import type { Clock, Logger } from '@lateen/kernel';
import { apiTime } from '@lateen/kube';
import type { SnapshotEnd } from '@lateen/native-snapshots';
import { type Item, logFieldsOf } from '../items/item.ts';
import type { ItemRecord } from '../items/item-record.ts';
import { asVolume } from './claim-index.ts';
import type { Volumes } from './volumes.ts';

/** Takes native snapshots for one backup; absent when the backup has no VolumeSnapshotLocation. */
export interface NativeSnapshots {
  /** @throws the signal's reason */
  take(volume: Unstructured, signal: AbortSignal): Promise<SnapshotEnd>;
}

export interface NativeVolumesParts {
  snapshots: NativeSnapshots | undefined;
  clock: Clock;
  log: Logger;
  volumes: Volumes;
  record: Pick<ItemRecord, 'noted'>;
  /** The backup moves the data of its volumes; data of native snapshots cannot be moved. */
  movesData: boolean;
}

/** The value of `by` in an outcome which says that a volume has no snapshot. */
const nativeSnapshotName = 'native snapshot';

/** The PersistentVolumes of a backup whose provider takes their snapshots itself, and the results. */
export class NativeVolumes {
  readonly #parts: NativeVolumesParts;
  /** Names of volumes already seen: lists of several selectors may contain a volume twice. */
  readonly #taken = new Set<string>();
  readonly #entries: NativeSnapshot[] = [];
  /** Warnings that were logged already, about locations that no plugin serves. */
  readonly #told = new Set<string>();

  constructor(parts: NativeVolumesParts) {
    this.#parts = parts;
  }

  /** Whether this backup takes native snapshots at all. */
  get isOn(): boolean {
    return this.#parts.snapshots !== undefined;
  }

  /** The snapshots in the order in which they ended. */
  get entries(): readonly NativeSnapshot[] {
    return this.#entries;
  }

  /**
   * Takes a snapshot of the volume if it needs one. When this fails, the log says why, and the volume's object is stored all the same:
   * without it the claim could not be restored at all.
   * @returns whether the outcome of the volume has been reported
   * @throws the signal's reason
   */
  async take(item: Item, signal: AbortSignal): Promise<boolean> {
    const { snapshots, volumes, clock } = this.#parts;
    if (snapshots === undefined || this.#taken.has(item.name)) return false;
    const volume = asVolume(item.object);
    if (volume.spec.csi !== undefined || !volumes.choiceOfVolume(volume)) return false;
    this.#taken.add(item.name);
    const startedAt = apiTime(clock.now());
    const end = await snapshots.take(item.object, signal);
    if (end.entry !== undefined) {
      this.#entries.push(end.entry);
      volumes.noteNative(item.name, { entry: end.entry, startedAt, endedAt: apiTime(clock.now()) });
    } else this.#noteNone(item, end);
    if (end.error !== undefined) return this.#failed(item, end.error);
    if (end.entry !== undefined) this.#tellTaken(item, end.entry);
    return false;
  }

  #failed(item: Item, error: Error): true {
    const { log, record } = this.#parts;
    log.error({ ...logFieldsOf(item), err: error }, 'Error taking the native snapshot of a volume');
    record.noted(item, { outcome: 'Failed', reason: describeError(error), by: nativeSnapshotName });
    return true;
  }

  #tellTaken(item: Item, { spec, status }: NativeSnapshot): void {
    const { log, movesData } = this.#parts;
    const fields = {
      ...logFieldsOf(item),
      volumeSnapshotLocation: spec.location,
      snapshot: status.providerSnapshotID,
    };
    log.info(fields, 'native snapshot is taken');
    if (!movesData) return;
    this.#warnOnce('data is not moved', fields, 'data of native snapshots is not moved to the storage location');
  }

  #noteNone(item: Item, { missing, error }: Extract<SnapshotEnd, { missing: unknown }>): void {
    const { volumes } = this.#parts;
    for (const each of missing)
      this.#warnOnce(each.message, { err: each }, 'volumes without CSI get no native snapshots');
    const reasons = [...missing, ...(error === undefined ? [] : [error])].map(({ message }) => message);
    if (reasons.length > 0) volumes.noteNative(item.name, { reason: reasons.join(', ') });
  }

  /** Logs a warning once, because thousands of volumes may have the same problem. */
  #warnOnce(what: string, fields: Record<string, unknown>, message: string): void {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    this.#parts.log.warn(fields, message);
  }
}
