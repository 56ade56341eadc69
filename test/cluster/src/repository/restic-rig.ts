import { mkdtemp, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import type { Uploader } from '@lateen/datapath';
import { systemClock } from '@lateen/kernel';
import { s3Store } from '@lateen/object-store-s3';
import { initialiseResticRepository, openResticSession, type RepositoryTarget, resticPlace } from '@lateen/repository';
import { recordingLog } from '@lateen/testing';
import { resticUploader, systemBlock, systemPrograms } from '@lateen/uploader';
import { execa } from 'execa';
import { makeResticKeysCheap } from './cheap-restic-key.ts';
import { testPassword } from './repository-rig.ts';
import { type KeyedLocation, type S3Server, s3Keys } from './s3-server.ts';

/** One restic repository in the S3 server, used through our libs, with {@link makeResticKeysCheap}. */
export async function resticRig(
  server: S3Server,
  more: Partial<KeyedLocation> = {},
  password = testPassword,
  graceMs = 10_000,
) {
  const workDirectory = await mkdtemp(join(server.directory, 'work-'));
  const location = server.location(more);
  const target: RepositoryTarget = { location, volumeNamespace: 'shop', password, uid: 'UID', cacheLimitMB: 100 };
  const process = childRunner({ program: 'restic', clock: systemClock, graceMs });
  const session = { process, workDirectory, environment: globalThis.process.env };
  const log = recordingLog();
  const child = { clock: systemClock, graceMs: 10_000, scratchDirectory: workDirectory };
  const block = systemBlock(child);
  const programs = systemPrograms({ ...child, path: session.environment.PATH });
  const { prefix, identifier } = resticPlace(location, 'shop');
  const keysBelow = async (folder: string): Promise<string[]> => {
    const store = s3Store(location);
    try {
      const keys: string[] = [];
      for await (const { key } of store.list(`${prefix}${folder}/`)) keys.push(key.slice(key.lastIndexOf('/') + 1));
      return keys;
    } finally {
      await store.close();
    }
  };
  const restic = async (cwd: string, args: readonly string[]) => {
    const { accessKeyId, secretAccessKey } = s3Keys;
    const env = {
      HOME: workDirectory,
      RESTIC_REPOSITORY: identifier,
      RESTIC_PASSWORD: password,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    };
    return (await execa('restic', args, { cwd, env, extendEnv: false, preferLocal: false })).stdout;
  };
  return {
    log,
    workDirectory,
    location,
    prefix,
    /** The restic CLI as a user runs it. */
    restic: (...args: string[]) => restic(workDirectory, args),
    /** The same, run in a directory. */
    resticIn: (cwd: string, ...args: string[]) => restic(cwd, args),
    /** Names below one of the repository's folders: `snapshots`, `locks`, `keys`. */
    keysBelow,
    initialise: async () => {
      const store = s3Store(location);
      try {
        const made = await initialiseResticRepository(target, { store, session, signal: new AbortController().signal });
        if (made.outcome === 'created') await makeResticKeysCheap(store, prefix, password);
        return made;
      } finally {
        await store.close();
      }
    },
    use: async <T>(work: (uploader: Uploader) => Promise<T>): Promise<T> => {
      const open = await openResticSession(target, session);
      try {
        return await work(
          resticUploader({
            session: open,
            clock: systemClock,
            log,
            discardMs: 20_000,
            programs,
            block,
            flush: async () => {},
            usedBytes: async (path) => {
              const { bsize, blocks, bfree } = await statfs(path);
              return bsize * (blocks - bfree);
            },
          }),
        );
      } finally {
        await open.close();
      }
    },
  };
}
