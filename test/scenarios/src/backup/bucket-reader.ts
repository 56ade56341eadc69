import { gunzipSync } from 'node:zlib';
import { parseItemPath, readArchive } from '@lateen/archive';
import { type BackupStore, backupStore } from '@lateen/backup-store';
import type { MemoryObjectStore } from '@lateen/testing';

/** Reads the files of backups directly from the bucket. */
export class BucketReader {
  readonly files: BackupStore;
  readonly #bucket: MemoryObjectStore;

  constructor(bucket: MemoryObjectStore) {
    this.#bucket = bucket;
    this.files = backupStore(bucket, '');
  }

  /** Names of the files of a backup, sorted. */
  fileNames(name: string): string[] {
    const prefix = `backups/${name}/`;
    const keys = [...this.#bucket.objects.keys()].filter((key) => key.startsWith(prefix));
    return keys.map((key) => key.slice(prefix.length)).sort();
  }

  /** The text of the backup's log; "" when there is none. */
  logText(name: string): string {
    const body = this.#bucket.objects.get(`backups/${name}/${name}-logs.gz`);
    return body === undefined ? '' : gunzipSync(body).toString();
  }

  /** Objects in the archive, such as `pods/shop/web` or `nodes/node-1`; each once, sorted. */
  async archived(name: string): Promise<string[]> {
    const items = new Set<string>();
    for await (const { path } of readArchive(this.files.readArchive(name))) {
      const item = parseItemPath(path);
      if (item === undefined) continue;
      items.add([item.groupResource, ...(item.namespace === undefined ? [] : [item.namespace]), item.name].join('/'));
    }
    return [...items].sort();
  }

  /** The JSON text of an object in the archive, at the path of the preferred version or of any other. */
  async archivedText(name: string, path: string): Promise<string | undefined> {
    for await (const entry of readArchive(this.files.readArchive(name)))
      if (entry.path === path) return Buffer.from(entry.body).toString();
    return undefined;
  }
}
