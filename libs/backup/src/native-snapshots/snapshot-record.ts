import type { BackupStore, NativeSnapshot } from '@lateen/backup-store';
import { type Clock, type Logger, orAborted, SharedWrites } from '@lateen/kernel';
import type { SnapshotRecord } from '@lateen/native-snapshots';
import type { RunningBackup } from '../engine/contract.ts';

export const snapshotRecordLimits = {
  /** The time-out of one write, and of the read before the first write. */
  callMs: 30_000,
  /** How many snapshots of an earlier backup the log names. */
  namedMax: 20,
} as const;

export interface StoredSnapshotsPorts {
  files: Pick<BackupStore, 'getVolumeSnapshots' | 'putVolumeSnapshots'>;
  clock: Clock;
  log: Logger;
}

/**
 * Records in the bucket which native snapshots a backup has and which are being taken, in the file that lists all of them in the end
 * (docs/adr/0078). Items arrive at the same time and share writes.
 */
export class StoredSnapshots implements SnapshotRecord {
  readonly #ports: StoredSnapshotsPorts;
  readonly #backup: RunningBackup;
  #entries: NativeSnapshot[] = [];
  readonly #writes = new SharedWrites(() => this.#write());
  #looked: Promise<void> | undefined;
  /** Whether nothing has changed since the last write. */
  #isStored = true;

  constructor(ports: StoredSnapshotsPorts, backup: RunningBackup) {
    this.#ports = ports;
    this.#backup = backup;
  }

  /** All snapshots, including those that are being taken. */
  get entries(): readonly NativeSnapshot[] {
    return this.#entries;
  }

  async begin(entry: NativeSnapshot, signal: AbortSignal): Promise<void> {
    this.#looked ??= this.#lookAtEarlier();
    await orAborted(this.#looked, signal);
    this.#change([...this.#entries, entry]);
    try {
      await orAborted(this.#writes.sync(), signal);
    } catch (error) {
      this.#change(this.#entries.filter((each) => each !== entry));
      throw error;
    }
  }

  end(begun: NativeSnapshot, ended: NativeSnapshot): void {
    this.#change(this.#entries.map((each) => (each === begun ? ended : each)));
    this.#writes.sync().catch((error: unknown) => this.#tellUnwritten(error));
  }

  /** Resolves when no write is running and all known snapshots are stored, or cannot be stored. Never rejects. */
  async settle(): Promise<void> {
    while (!this.#isStored) {
      try {
        await this.#writes.sync();
      } catch (error) {
        this.#tellUnwritten(error);
        return;
      }
    }
  }

  #change(entries: NativeSnapshot[]): void {
    this.#entries = entries;
    this.#isStored = false;
  }

  async #write(): Promise<void> {
    const { files, clock } = this.#ports;
    const entries = this.#entries;
    const signal = clock.deadline(snapshotRecordLimits.callMs);
    await orAborted(files.putVolumeSnapshots(this.#backup.metadata.name ?? '', entries, { signal }), signal);
    this.#isStored = entries === this.#entries;
  }

  #tellUnwritten(error: unknown): void {
    const fields = { backup: this.#backup.metadata.name, err: error };
    this.#ports.log.warn(fields, 'native snapshots of a backup cannot be recorded');
  }

  /** Warns about snapshots of an earlier Backup of this name that was deleted without a request: once the file is overwritten, nothing lists them. */
  async #lookAtEarlier(): Promise<void> {
    const { files, clock, log } = this.#ports;
    const { name = '', uid } = this.#backup.metadata;
    const signal = clock.deadline(snapshotRecordLimits.callMs);
    try {
      const stored = await orAborted(files.getVolumeSnapshots(name, { signal }), signal);
      const others = stored.filter(({ spec, status }) => spec.backupUID !== uid && status.providerSnapshotID);
      if (others.length === 0) return;
      const snapshots = others.slice(0, snapshotRecordLimits.namedMax).map(({ status }) => status.providerSnapshotID);
      const nextStep = 'delete them at the provider';
      const fields = { backup: name, count: others.length, snapshots, nextStep };
      log.warn(fields, 'an earlier backup of this name has left native snapshots');
    } catch (error) {
      log.warn(
        { backup: name, err: error },
        'it is not known whether an earlier backup of this name has left snapshots',
      );
    }
  }
}
