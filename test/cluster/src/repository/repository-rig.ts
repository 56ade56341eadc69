import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import type { DataPathProgress, UploadResult } from '@lateen/datapath';
import { systemClock, systemRandom } from '@lateen/kernel';
import { type S3Store, s3Store } from '@lateen/object-store-s3';
import {
  dataUploadSource,
  type InitialiseOutcome,
  initialiseRepository,
  openKopiaSession,
  type RepositoryTarget,
} from '@lateen/repository';
import { recordingLog } from '@lateen/testing';
import { kopiaUploader, systemBlock, systemPrograms } from '@lateen/uploader';
import { execa } from 'execa';
import { directWay } from './direct-way.ts';
import { type KeyedLocation, type S3Server, s3Keys } from './s3-server.ts';

export const testPassword = 'test-password-9f3a';
export const sourcePath = 'snapshot-data-upload-download/kopia/shop/data';

/** One repository in the S3 server, used through our libs and through the plain kopia CLI. */
export async function repositoryRig(
  server: S3Server,
  more: Partial<KeyedLocation> = {},
  password = testPassword,
  restores: 'engine' | 'direct' = 'engine',
) {
  const workDirectory = await mkdtemp(join(server.directory, 'work-'));
  const location = server.location(more);
  const target: RepositoryTarget = {
    location,
    volumeNamespace: 'shop',
    password,
    uid: 'ABCDEF01-uid',
    cacheLimitMB: 100,
  };
  const engine = childRunner({ program: server.kopia, clock: systemClock, graceMs: 10_000 });
  const session = { process: engine, workDirectory, environment: process.env };
  const child = { clock: systemClock, graceMs: 10_000, scratchDirectory: workDirectory };
  const programs = systemPrograms({ ...child, path: process.env.PATH });
  const block = systemBlock(child);
  const log = recordingLog();
  const never = new AbortController().signal;
  const withUploader = async <T>(use: (uploader: ReturnType<typeof kopiaUploader>) => Promise<T>): Promise<T> => {
    const open = await openKopiaSession(target, session);
    const flush = async () => {};
    try {
      const openDirect =
        restores === 'engine' ? undefined : directWay(target, { log, scratchDirectory: workDirectory });
      const common = {
        openDirect,
        session: open,
        clock: systemClock,
        random: systemRandom,
        programs,
        block,
        log,
        flush,
      };
      return await use(kopiaUploader({ ...common, parallelFiles: 2, discardMs: 20_000 }));
    } finally {
      await open.close();
    }
  };
  return {
    log,
    workDirectory,
    /** Opens the uploader, uses it, closes it. */
    use: withUploader,
    prefix: `${location.prefix === '' ? '' : `${location.prefix}/`}kopia/shop/`,
    /** Uses the store and closes it. */
    store: async <T>(use: (store: S3Store) => Promise<T>): Promise<T> => {
      const store = s3Store(location);
      try {
        return await use(store);
      } finally {
        await store.close();
      }
    },
    initialise: async (): Promise<InitialiseOutcome> => {
      const store = s3Store(location);
      try {
        return await initialiseRepository(target, { store, session, signal: never });
      } finally {
        await store.close();
      }
    },
    upload: (
      volumePath: string,
      onProgress: (progress: DataPathProgress) => void = () => {},
      signal = never,
      config: Readonly<Record<string, string>> = {},
    ): Promise<UploadResult> =>
      withUploader((uploader) =>
        uploader.upload({
          volumePath,
          volumeMode: 'Filesystem',
          source: dataUploadSource('shop', 'data', 'op-1'),
          config,
          onProgress,
          signal,
        }),
      ),
    download: (snapshotID: string, volumePath: string, config: Record<string, string> = {}) =>
      withUploader((uploader) =>
        uploader.download({
          snapshotID,
          volumePath,
          volumeMode: 'Filesystem',
          config,
          onProgress: () => {},
          signal: never,
        }),
      ),
    kopia: () => plainKopia(server, location, workDirectory, password),
  };
}

/** The kopia CLI as a user runs it, connected as data-movement.md section 9 ("Kopia CLI interop") shows. */
async function plainKopia(server: S3Server, location: KeyedLocation, work: string, password: string) {
  const home = await mkdtemp(join(work, 'cli-'));
  const { accessKeyId, secretAccessKey } = s3Keys;
  const env = {
    HOME: home,
    KOPIA_PASSWORD: password,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };
  const run = async (...args: string[]) => (await execa(server.kopia, args, { env, extendEnv: false })).stdout;
  const prefix = `${location.prefix === '' ? '' : `${location.prefix}/`}kopia/shop/`;
  const where = [
    's3',
    `--bucket=${location.bucket}`,
    `--prefix=${prefix}`,
    `--endpoint=${location.endpoint}`,
    '--region=us-east-1',
    '--disable-tls',
    '--no-check-for-updates',
  ];
  return {
    run,
    create: () => run('repository', 'create', ...where, '--override-username=me', '--override-hostname=laptop'),
    connect: () => run('repository', 'connect', ...where, '--override-username=default', '--override-hostname=default'),
  };
}

/** Names and contents of all files below a directory, to check what was left there. */
export async function filesBelow(directory: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found.set(path, await readFile(path, 'latin1').catch(() => ''));
  }
  return found;
}
