import { join } from 'node:path';
import type { Logger } from '@lateen/kernel';
import type { Files } from '@lateen/volume';

/** What is known of an instance beside its process, for whoever takes over after a restart. */
export interface InstanceNotes<Note> {
  readAll(): Promise<readonly Note[]>;
  /** In one step: no reader and no crash sees half of it. */
  write(note: Note): Promise<void>;
  /** Absent is fine. */
  remove(name: string): Promise<void>;
}

export interface NotesOptions<Note> {
  directory: string;
  /** Of all its files: `replica`, `engine`, `frontend`. */
  kind: string;
  files: Pick<Files, 'list' | 'readText' | 'writeDurably' | 'removeDurably' | 'makeDirectory'>;
  /** @throws when a note is none */
  parse(value: Record<string, unknown>): Note;
  log: Logger;
}

/** One file per instance. One that cannot be read is told of and left: its process has a record, which nobody ends then. */
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
          log.warn({ file: name, err: error }, 'a note about an instance cannot be read');
        }
      }
      return notes;
    },
    write: (note) => files.writeDurably(pathOf(note.name), `${JSON.stringify(note, asText)}\n`),
    remove: (name) => files.removeDurably(pathOf(name)),
  };
}

/** JSON has no whole numbers of 64 bits. */
const mark = 'bigint:';
const asText = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${mark}${value}` : value);
const withBigInts = (_key: string, value: unknown) =>
  typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;

/** @throws when the field is no text */
export function textOf(value: Record<string, unknown>, field: string): string {
  const text = value[field];
  if (typeof text !== 'string' || text === '') throw new TypeError(`it has no ${field}`);
  return text;
}

/** @throws when the field is no whole number from 0 */
export function countOf(value: Record<string, unknown>, field: string): number {
  const count = value[field];
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) throw new TypeError(`it has no ${field}`);
  return count;
}
