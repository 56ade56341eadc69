import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
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
    await rig.initialise();
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
    await rig.initialise();
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
