import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { eachAtOnce } from '@lateen/kernel';
import { type S3StoreConfig, s3Store } from '@lateen/object-store-s3';

const atOnce = 16;
/** kopia stores blobs with longer names in folders named after their first letter and the next three. */
const unshardedLengthMax = 20;

/** Downloads every blob of a repository, to a directory in kopia's layout, or without storing them. */
const { location, prefix, directory } = JSON.parse(process.env.LATEEN_BENCH ?? '') as {
  location: S3StoreConfig;
  prefix: string;
  directory?: string;
};
const store = s3Store(location);
const blobs = await Array.fromAsync(store.list(prefix));
await eachAtOnce(blobs, atOnce, async ({ key }) => {
  const pieces = store.read(key);
  if (directory === undefined) {
    for await (const _ of pieces);
    return;
  }
  const path = join(directory, `${sharded(key.slice(prefix.length))}.f`);
  await mkdir(dirname(path), { recursive: true });
  await pipeline(pieces, createWriteStream(path));
});
await store.close();
console.log(
  `${blobs.length} blobs of ${(blobs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / 1e6).toFixed(0)} MB`,
);

function sharded(name: string): string {
  return name.length <= unshardedLengthMax ? name : join(name.slice(0, 1), name.slice(1, 4), name.slice(4));
}
