import { join } from 'node:path';
import type { Logger } from '@lateen/kernel';
import type { Files } from '@lateen/volume';

/** What is known of an instance besides its process, for the program that takes over after a restart. */
export interface InstanceNotes<Note> {
  readAll(): Promise<readonly Note[]>;
  /** Atomic: neither a reader nor a crash sees a partial note. */
  write(note: Note): Promise<void>;
  /** Does nothing when it does not exist. */
  remove(name: string): Promise<void>;
}

export interface NotesOptions<Note> {
  directory: string;
  /** Prefix of all its files: `replica`, `engine`, `frontend`. */
  kind: string;
  files: Pick<Files, 'list' | 'readText' | 'writeDurably' | 'removeDurably' | 'makeDirectory'>;
  /** @throws when the value is not a valid note */
  parse(value: Record<string, unknown>): Note;
  log: Logger;
}

/** One file per instance. A file that cannot be read is logged and kept: its process has a record, and is not ended then. */
export function instanceNotes<Note extends { readonly name: string }>(o: NotesOptions<Note>): InstanceNotes<Note> {
  const { directory, kind, files, parse, log } = o;
  const prefix = `${kind}-`;
  const pathOf = (name: string) => join(directory, `${prefix}${name}.json`);
  return {
    readAll: async () => {
      await files.makeDirectory(directory);
      const notes: Note[] = [];
      for (const name of (await files.list(directory)).sort()) {
        if (!name.startsWith(prefix) || !name.endsWith('.json')) continue;
        try {
          notes.push(parse(JSON.parse((await files.readText(join(directory, name))) ?? '', withBigInts)));
        } catch (error) {
          log.warn({ file: name, err: error }, 'the record of an instance cannot be read');
        }
      }
      return notes;
    },
    write: (note) => files.writeDurably(pathOf(note.name), `${JSON.stringify(note, asText)}\n`),
    remove: (name) => files.removeDurably(pathOf(name)),
  };
}

/** Marks 64-bit integers, which JSON cannot represent. */
const mark = 'bigint:';
const asText = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${mark}${value}` : value);
const withBigInts = (_key: string, value: unknown) =>
  typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;

/** @throws when the field is not text */
export function textOf(value: Record<string, unknown>, field: string): string {
  const text = value[field];
  if (typeof text !== 'string' || text === '') throw new TypeError(`it has no ${field}`);
  return text;
}

/** @throws when the field is not an integer of 0 or more */
export function countOf(value: Record<string, unknown>, field: string): number {
  const count = value[field];
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) throw new TypeError(`it has no ${field}`);
  return count;
}
