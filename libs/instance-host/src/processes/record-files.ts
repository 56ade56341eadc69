import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProcessRecord, parseProcessRecord } from './process-record.ts';

/** Records of processes on disk, one file each. */
export interface RecordFiles {
  /** `unreadable`: ids of files that are not valid records. Their processes may run. */
  readAll(): Promise<{ records: readonly ProcessRecord[]; unreadable: readonly string[] }>;
  /** Atomic: neither a reader nor a crash sees a partial record. */
  write(record: ProcessRecord): Promise<void>;
  /** Does nothing when it does not exist. */
  remove(id: string): Promise<void>;
}

export function recordFiles(directory: string): RecordFiles {
  const fileOf = (id: string) => join(directory, `${id}.json`);
  return {
    readAll: async () => {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const names = (await readdir(directory)).filter((name) => name.endsWith('.json'));
      const read = await Promise.all(
        names.map(async (name) => {
          const id = name.slice(0, -'.json'.length);
          const record = parseProcessRecord(await readFile(join(directory, name), 'utf8'));
          return record?.id === id ? record : id;
        }),
      );
      return {
        records: read.filter((one) => typeof one !== 'string'),
        unreadable: read.filter((one) => typeof one === 'string'),
      };
    },
    write: async (record) => {
      const unfinished = join(directory, `${record.id}.new`);
      const file = await open(unfinished, 'w', 0o600);
      try {
        await file.writeFile(`${JSON.stringify(record)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, fileOf(record.id));
    },
    remove: (id) => rm(fileOf(id), { force: true }),
  };
}
