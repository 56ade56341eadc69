import { contentIdOf } from '../content-id.ts';
import type { ContentLocation } from '../content-location.ts';
import { emptyEntry } from './index-entry.ts';
import type { IndexFile } from './index-file.ts';
import { isNewer, locationOf, type Newest } from './newest-entry.ts';
import { type SortedKeys, sortedKeys } from './sorted-keys.ts';

/** Contents that are looked up as one; no less than a run read from disk has, whose bytes are gone with the next look. */
const groupMax = 32_768;

/** All index blobs of a moment, asked together. */
export class ContentIndex {
  readonly files: readonly IndexFile[];
  /** Unix seconds: contents deleted until then are as if they had never been; others that are deleted can still be read. */
  readonly #deletedUntil: number;

  constructor(files: readonly IndexFile[], deletedUntil: number) {
    this.files = files;
    this.#deletedUntil = deletedUntil;
  }

  /** In the order of the ids; undefined where there is none. */
  async locate(contentIds: readonly string[], signal: AbortSignal): Promise<(ContentLocation | undefined)[]> {
    const keys = sortedKeys(contentIds);
    const newest = await this.#newest(keys, signal);
    const locations = new Array<ContentLocation | undefined>(keys.count);
    for (let index = 0; index < keys.count; index++) {
      const found = newest[index];
      const position = keys.order[index] ?? 0;
      if (found === undefined || (found.isDeleted && found.time <= this.#deletedUntil)) continue;
      locations[position] = locationOf(contentIds[position] ?? '', found);
    }
    return locations;
  }

  /** The most there can be: what several files name counts for each. */
  get entryCount(): number {
    return this.files.reduce((sum, { entryCount }) => sum + entryCount, 0);
  }

  /** All contents that are not deleted and lie in packs that are wanted, each once, in groups. */
  async *all(wanted: (packId: string) => boolean, signal: AbortSignal): AsyncGenerator<ContentLocation[]> {
    for (const file of this.files) {
      for await (const run of file.runs(undefined, signal)) {
        for (let first = 0; first < run.count; first += groupMax) {
          const ids: string[] = [];
          for (let entry = first; entry < Math.min(first + groupMax, run.count); entry++) {
            const at = run.at + entry * run.stride;
            ids.push(contentIdOf(run.bytes.subarray(at, at + run.keySize)));
          }
          yield await this.#ofFile(file, ids, wanted, signal);
        }
      }
    }
  }

  /** Those of the contents of which this file has the newest entry. */
  async #ofFile(
    file: IndexFile,
    contentIds: readonly string[],
    wanted: (packId: string) => boolean,
    signal: AbortSignal,
  ): Promise<ContentLocation[]> {
    const keys = sortedKeys(contentIds);
    const newest = await this.#newest(keys, signal);
    return newest.flatMap((found, index) => {
      if (found?.tables !== file.tables || found.isDeleted || !wanted(found.tables.packId(found))) return [];
      return [locationOf(contentIds[keys.order[index] ?? 0] ?? '', found)];
    });
  }

  async #newest(keys: SortedKeys, signal: AbortSignal): Promise<(Newest | undefined)[]> {
    const newest = new Array<Newest | undefined>(keys.count);
    for (const file of this.files) {
      const { tables } = file;
      await file.find(
        keys,
        (index, entry) => {
          if (isNewer(entry, tables, newest[index])) newest[index] = { ...entry, tables };
        },
        signal,
      );
    }
    return newest;
  }

  /** Contents whose ids begin with this letter, without those that are deleted; for kinds of which there are few. */
  async withLetter(letter: string, signal: AbortSignal): Promise<ContentLocation[]> {
    const code = letter.charCodeAt(0);
    const newest = new Map<string, Newest>();
    for (const file of this.files) {
      for await (const run of file.runs(code, signal)) {
        for (let entry = 0; entry < run.count; entry++) {
          const at = run.at + entry * run.stride;
          if (run.bytes[at] !== code) continue;
          const found = emptyEntry();
          file.read(run, at, found);
          const contentId = contentIdOf(run.bytes.subarray(at, at + run.keySize));
          if (isNewer(found, file.tables, newest.get(contentId)))
            newest.set(contentId, { ...found, tables: file.tables });
        }
      }
    }
    return [...newest].flatMap(([contentId, found]) => (found.isDeleted ? [] : [locationOf(contentId, found)]));
  }
}
