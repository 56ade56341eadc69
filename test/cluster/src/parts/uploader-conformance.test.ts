import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { s3Store } from '@lateen/object-store-s3';
import { dataUploadSource } from '@lateen/repository';
import { describeUploader, type EngineUnderTest } from '@lateen/uploader/conformance';
import { afterAll, beforeAll } from 'vitest';
import { repositoryRig, sourcePath, testPassword } from '../repository/repository-rig.ts';
import { resticRig } from '../repository/restic-rig.ts';
import { type S3Server, s3Keys, startS3Server } from '../repository/s3-server.ts';

/** Includes building the programs, when they do not exist yet. */
const setUpMs = 900_000;
const secrets = [testPassword, s3Keys.secretAccessKey, s3Keys.accessKeyId];

let server: S3Server;
let repositories = 0;

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('backups');
}, setUpMs);

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

type Objects = ReadonlyMap<string, Uint8Array>;
type Rig = { prefix: string; initialise(): Promise<unknown> };
const made = new Map<string, Promise<Objects>>();

/** The objects of a new repository of that engine, by key below its prefix. It is made once and copied for each case. */
function newRepository(engine: string, rig: () => Promise<Rig>): Promise<Objects> {
  const objects = async () => {
    const { prefix, initialise } = await rig();
    await initialise();
    return await withStore(async (store) => {
      const found = new Map<string, Uint8Array>();
      for await (const { key } of store.list(prefix)) found.set(key.slice(prefix.length), await store.get(key));
      return found;
    });
  };
  const known = made.get(engine) ?? objects();
  made.set(engine, known);
  return known;
}

const copyTo = ({ prefix }: Rig, objects: Objects): Promise<void> =>
  withStore(async (store) => {
    for (const [key, bytes] of objects) await store.put(prefix + key, bytes);
  });

async function withStore<T>(use: (store: ReturnType<typeof s3Store>) => Promise<T>): Promise<T> {
  const store = s3Store(server.location());
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const freshPrefix = () => `repository-${++repositories}`;
const directory = () => mkdtemp(join(server.directory, 'case-'));

const kopiaWith = (restores: 'engine' | 'direct'): EngineUnderTest => ({
  can: {
    restoreHoles: true,
    keepHardLinks: true,
    replaceSymlinks: restores === 'direct',
    moveBlockVolumes: true,
    countUnchangedAsNothing: true,
  },
  repository: async () => {
    const prefix = freshPrefix();
    const rig = await repositoryRig(server, { prefix }, testPassword, restores);
    await copyTo(rig, await newRepository('kopia', () => repositoryRig(server, { prefix: 'made' })));
    const wrong = await repositoryRig(server, { prefix }, 'not-the-password', restores);
    const nowhere = await repositoryRig(server, { prefix: `${prefix}-elsewhere` }, testPassword, restores);
    return {
      directory: await directory(),
      source: dataUploadSource('shop', 'data', 'op-1'),
      secrets,
      use: (work, { password, elsewhere } = {}) =>
        (password !== undefined ? wrong : elsewhere === true ? nowhere : rig).use(work),
      locks: async () => [],
      said: () => JSON.stringify([rig.log.lines, wrong.log.lines, nowhere.log.lines]),
      snapshotIds: async () => {
        const cli = await rig.kopia();
        await cli.connect();
        const all: { id: string; source: { path: string } }[] = JSON.parse(
          await cli.run('snapshot', 'list', '--all', '--incomplete', '--json'),
        );
        // What kopia does not keep is stored with the snapshot of a volume.
        return all.filter(({ source }) => source.path === sourcePath).map(({ id }) => id);
      },
    };
  },
});

const restic: EngineUnderTest = {
  can: {
    restoreHoles: false,
    keepHardLinks: true,
    replaceSymlinks: true,
    moveBlockVolumes: true,
    countUnchangedAsNothing: false,
  },
  repository: async () => {
    const prefix = freshPrefix();
    const rig = await resticRig(server, { prefix });
    await copyTo(rig, await newRepository('restic', () => resticRig(server, { prefix: 'made' })));
    const wrong = await resticRig(server, { prefix }, 'not-the-password');
    const nowhere = await resticRig(server, { prefix: `${prefix}-elsewhere` });
    return {
      directory: await directory(),
      source: dataUploadSource('shop', 'data', 'op-1', 'restic'),
      secrets,
      use: (work, { password, elsewhere } = {}) =>
        (password !== undefined ? wrong : elsewhere === true ? nowhere : rig).use(work),
      locks: () => rig.keysBelow('locks'),
      said: () => JSON.stringify([rig.log.lines, wrong.log.lines, nowhere.log.lines]),
      snapshotIds: () => rig.keysBelow('snapshots'),
    };
  },
};

describeUploader('kopia', kopiaWith('engine'));
describeUploader('kopia, restoring without the engine,', kopiaWith('direct'));
describeUploader('restic', restic);
