import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LocationConfig, ObjectStore } from '@lateen/plugin';
import { rootOf } from './folder-volumes.ts';

/** Stores objects as files of a folder. */
export function folderStore(config: LocationConfig): ObjectStore {
  const root = rootOf(config);
  const { links = 'https://fixture.lateen.dev' } = config;
  const fileOf = ({ bucket, key }: { bucket: string; key: string }) => join(root, bucket, key);
  const keysOf = async (bucket: string, prefix: string) => {
    const entries = await readdir(join(root, bucket), { recursive: true, withFileTypes: true }).catch(() => []);
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(join(root, bucket), join(entry.parentPath, entry.name)))
      .filter((key) => key.startsWith(prefix))
      .sort();
  };
  return {
    putObject: async ({ bucket, key, body }) => {
      const file = fileOf({ bucket, key });
      await mkdir(dirname(file), { recursive: true });
      await pipeline(Readable.from(body), createWriteStream(file)).catch(async (error: unknown) => {
        await rm(file, { force: true });
        throw error;
      });
    },
    objectExists: (name) => existsSync(fileOf(name)),
    getObject: (name) => {
      if (!existsSync(fileOf(name))) throw new Error(`no such object: ${name.key}`);
      return createReadStream(fileOf(name));
    },
    listCommonPrefixes: async ({ bucket, prefix, delimiter }) => {
      const ends = (await keysOf(bucket, prefix)).flatMap((key) => {
        const end = key.indexOf(delimiter, prefix.length);
        return end < 0 ? [] : [key.slice(0, end + delimiter.length)];
      });
      return [...new Set(ends)];
    },
    listObjects: ({ bucket, prefix }) => keysOf(bucket, prefix),
    deleteObject: (name) => rm(fileOf(name), { force: true }),
    createSignedUrl: ({ bucket, key, ttlMs }) => `${links}/${bucket}/${key}?ttl=${ttlMs / 1_000}`,
  };
}
