import { join } from 'node:path';
import type { Files } from '@lateen/volume';
import { parseRecord, recordText } from '../record/record-codec.ts';
import { checkIdentity, type ReplicaIdentity } from '../record/record-create.ts';
import type { ReplicaRecord } from '../record/replica-record.ts';
import { replicaError } from '../replica-error.ts';

export const recordFile = 'replica.json';

/** Suffix of an image that is being created; it gets its final name when it is complete. */
export const unfinishedSuffix = '.tmp';

/** What the store needs of the machine's files. */
export type ReplicaFiles = Pick<
  Files,
  | 'readText'
  | 'writeDurably'
  | 'replaceDurably'
  | 'removeDurably'
  | 'list'
  | 'facts'
  | 'sync'
  | 'space'
  | 'makeDirectory'
>;

/** The folder of one replica: reads and writes its record, and removes files that the record names as garbage. */
export class ReplicaFolder {
  readonly #files: ReplicaFiles;
  readonly path: string;
  readonly identity: ReplicaIdentity;

  constructor(files: ReplicaFiles, path: string, identity: ReplicaIdentity) {
    this.#files = files;
    this.path = path;
    this.identity = identity;
  }

  /** Undefined when there is no record. @throws AppError `REPLICA_FOREIGN`, `REPLICA_CORRUPT` */
  async read(): Promise<ReplicaRecord | undefined> {
    const path = join(this.path, recordFile);
    const text = await this.#files.readText(path);
    if (text === undefined) return undefined;
    const record = parseRecord(text, path);
    checkIdentity(record, this.identity);
    return record;
  }

  /** The record of a replica that must exist. @throws AppError `REPLICA_GONE`, and those of {@link read} */
  async readPresent(): Promise<ReplicaRecord> {
    const record = await this.read();
    if (record !== undefined) return record;
    throw replicaError('REPLICA_GONE', `there is no replica ${this.identity.replica} in ${this.path}`, {
      nextStep:
        'Check that the disk is mounted. If its data is lost, delete this replica: it is rebuilt from the others.',
    });
  }

  write(record: ReplicaRecord): Promise<void> {
    return this.#files.writeDurably(join(this.path, recordFile), recordText(record));
  }

  async make(): Promise<void> {
    await this.#files.makeDirectory(this.path);
  }

  /** Names of layers' files, known or not. None when there is no folder. */
  async layerFiles(): Promise<readonly string[]> {
    const names = await this.#files.list(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names.filter((name) => name.endsWith('.qcow2'));
  }

  /** Only for files that the record names as garbage, or as a head without writes. */
  async remove(file: string): Promise<void> {
    await this.#files.removeDurably(join(this.path, `${file}${unfinishedSuffix}`));
    await this.#files.removeDurably(join(this.path, file));
  }

  facts(file: string) {
    return this.#files.facts(join(this.path, file));
  }

  /** The length of a layer's file that is on disk when it resolves, even if another process has it open. Undefined when there is no such file. */
  async durableBytes(file: string): Promise<number | undefined> {
    // Read before the flush: later writes may be missing after a power failure.
    const facts = await this.facts(file);
    if (facts === undefined) return undefined;
    await this.#files.sync(join(this.path, file));
    return facts.sizeBytes;
  }

  space() {
    return this.#files.space(this.path);
  }
}
