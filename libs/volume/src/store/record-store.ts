import { basename, join } from 'node:path';
import { volumeError } from '../volume-error.ts';
import { readId } from '../volume-id.ts';
import type { Files } from './files.ts';
import { temporarySuffix } from './node-files.ts';
import { readRecord, recordText } from './read-record.ts';
import type { AnyRecord, SnapshotRecord, VolumeRecord } from './records.ts';
import { recordSuffix, type StatePaths } from './state-paths.ts';

/** A record file that is there but cannot be used. Its data is never touched. */
export interface UnreadableRecord {
  id: string;
  reason: string;
}

/**
 * Volume and snapshot records: one JSON file each, all of them in memory too. Memory changes after the disk, so a reader
 * never sees what a crash could take back. One process per state directory (the socket is the lock).
 */
export class RecordStore {
  readonly #files: Files;
  readonly #paths: StatePaths;
  readonly #records: Map<string, AnyRecord>;
  readonly unreadable: readonly UnreadableRecord[];

  private constructor(
    files: Files,
    paths: StatePaths,
    records: Map<string, AnyRecord>,
    unreadable: UnreadableRecord[],
  ) {
    this.#files = files;
    this.#paths = paths;
    this.#records = records;
    this.unreadable = unreadable;
  }

  /** Makes the directories, sweeps temporary files, reads every record. */
  static async open(files: Files, paths: StatePaths): Promise<RecordStore> {
    await files.makeDirectory(paths.records);
    await files.makeDirectory(paths.data);
    const records = new Map<string, AnyRecord>();
    const unreadable: UnreadableRecord[] = [];
    for (const name of await files.list(paths.records)) {
      if (name.endsWith(temporarySuffix)) await files.removeDurably(join(paths.records, name));
      if (!name.endsWith(recordSuffix)) continue;
      const id = basename(name, recordSuffix);
      const record = readRecord((await files.readText(join(paths.records, name))) ?? '', id);
      if ('unreadable' in record) unreadable.push({ id, reason: record.unreadable });
      else records.set(id, record);
    }
    return new RecordStore(files, paths, records, unreadable);
  }

  async put(record: AnyRecord): Promise<void> {
    await this.#files.writeDurably(this.#paths.record(record.id), recordText(record));
    this.#records.set(record.id, record);
  }

  async remove(id: string): Promise<void> {
    await this.#files.removeDurably(this.#paths.record(id));
    this.#records.delete(id);
  }

  /** @throws AppError `INVALID_ARGUMENT` for an empty id, `RECORD_UNREADABLE`. */
  volume(id: string): VolumeRecord | undefined {
    const record = this.#find(id, 'the volume id');
    return record?.kind === 'volume' ? record : undefined;
  }

  /** @throws AppError `INVALID_ARGUMENT` for an empty id, `RECORD_UNREADABLE`. */
  snapshot(id: string): SnapshotRecord | undefined {
    const record = this.#find(id, 'the snapshot id');
    return record?.kind === 'snapshot' ? record : undefined;
  }

  /** All records, sorted by ID so that a page can continue after any of them. */
  all(): AnyRecord[] {
    return [...this.#records.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  volumes(): VolumeRecord[] {
    return this.all().filter((record) => record.kind === 'volume');
  }

  snapshots(): SnapshotRecord[] {
    return this.all().filter((record) => record.kind === 'snapshot');
  }

  #find(id: string, what: string): AnyRecord | undefined {
    const finding = readId(id, what);
    if (finding.kind === 'unknown') return undefined;
    const broken = this.unreadable.find((record) => record.id === finding.id);
    if (broken !== undefined) {
      throw volumeError('RECORD_UNREADABLE', `the record of ${broken.id} cannot be read: ${broken.reason}`, {
        nextStep: `Repair or remove ${this.#paths.record(broken.id)}; its data was left alone.`,
      });
    }
    return this.#records.get(finding.id);
  }
}
