import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ObjectStore } from '@lateen/object-store';
import { execa } from 'execa';

/** One file of an archive as GNU tar lists it. */
export interface ArchiveEntry {
  /** `-rwxr-xr-x` */
  mode: string;
  path: string;
}

/** A backup in the bucket, read without any of our own code: with gzip, GNU tar and JSON.parse. */
export interface StoredBackup {
  /** Names of its files, without the prefix of the backup's name. */
  files(): Promise<string[]>;
  /** The content of a gzip file. */
  text(file: string): Promise<string>;
  entries(): Promise<ArchiveEntry[]>;
  /** The bytes of one file of the archive. */
  entry(path: string): Promise<string>;
}

export function storedBackup(store: ObjectStore, name: string, directory: string): StoredBackup {
  const prefix = `backups/${name}/`;
  const archive = async (): Promise<string> => {
    const path = join(directory, `${name}.tar.gz`);
    await writeFile(path, await store.get(`${prefix}${name}.tar.gz`));
    return path;
  };
  return {
    files: async () => {
      const keys: string[] = [];
      for await (const { key } of store.list(prefix)) keys.push(key.slice(prefix.length).replace(name, ''));
      return keys.sort();
    },
    text: async (file) => gunzipSync(await store.get(`${prefix}${name}${file}`)).toString('utf8'),
    entries: async () => {
      const { stdout } = await execa('tar', ['--list', '--verbose', '--gzip', '--file', await archive()]);
      return stdout.split('\n').map((line) => ({ mode: line.slice(0, 10), path: line.split(/\s+/)[5] ?? '' }));
    },
    entry: async (path) => {
      const options = ['--extract', '--to-stdout', '--gzip', '--file', await archive(), path];
      return (await execa('tar', options, { stripFinalNewline: false })).stdout;
    },
  };
}
