import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type S3StoreConfig, s3Store } from '@lateen/object-store-s3';
import { describeObjectStore } from '@lateen/testing';
import { startS3Server } from '../repository/s3-server.ts';

/** The smallest part that S3 accepts, so that a few megabytes have several. */
const partBytes = 5 * 1024 * 1024;

/** Runs the conformance suite of stores on a real S3 server. */
function describeS3(name: string, more: Partial<S3StoreConfig>): void {
  describeObjectStore(`S3 (versitygw), ${name}`, async () => {
    const server = await startS3Server();
    await server.makeBucket('bucket');
    const at = (bucket: string) => s3Store({ ...server.location({ bucket }), ...more }, { partBytes });
    const store = at('bucket');
    return {
      store,
      missing: at('no-bucket'),
      fetchSigned: async (url) => {
        const { status, body } = await fetch(url).then(async (answer) => ({
          status: answer.status,
          body: await answer.bytes(),
        }));
        return { status, body };
      },
      leftovers: () => unfinishedUploads(join(server.directory, 'buckets', 'bucket')),
      keepsUnfinished: true,
      severalPartsBytes: 3 * partBytes - 1_000,
      close: async () => {
        await store.close();
        await server[Symbol.asyncDispose]();
      },
    };
  });
}

/** Files of parts that were uploaded and neither completed nor aborted. */
async function unfinishedUploads(bucket: string): Promise<string[]> {
  const paths = await readdir(bucket, { recursive: true, withFileTypes: true });
  return paths
    .filter((entry) => entry.isFile() && entry.parentPath.includes('/.sgwtmp/'))
    .map((entry) => join(entry.parentPath, entry.name));
}

describeS3('with CRC32', {});
describeS3('with SHA256, learning its region', { checksumAlgorithm: 'SHA256', region: '' });
describeS3('without checksums', { checksumAlgorithm: '' });
