import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubeObject, repositoryCredentials } from '@lateen/api-types';
import { type DataPathResource, subjectOf } from '@lateen/mover';
import type { EngineProcess, EngineRun, RepositoryType } from '@lateen/repository';
import {
  aBackupRepository,
  aBackupStorageLocation,
  aDataUpload,
  aSecret,
  fakeCluster,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEngine } from './open-engine.ts';

const namespace = 'velero';
const { signal } = new AbortController();
let scratchDirectory: string;

beforeEach(async () => {
  scratchDirectory = await mkdtemp(join(tmpdir(), 'lateen-engine-'));
});
afterEach(() => rm(scratchDirectory, { recursive: true }));

const repositoryOf = (type: RepositoryType, repositoryConfig?: Record<string, string>) =>
  aBackupRepository({
    name: `app-default-${type}`,
    labels: {
      'velero.io/volume-namespace': 'app',
      'velero.io/storage-location': 'default',
      'velero.io/repository-type': type,
    },
    spec: { repositoryType: type, ...(repositoryConfig === undefined ? {} : { repositoryConfig }) },
  });

const nothing = () => Promise.resolve();
const emptyDevice = {
  path: '/uid',
  sizeBytes: 512,
  read: nothing,
  write: nothing,
  punch: async () => true,
  flush: nothing,
  close: nothing,
};

/** Opens the engine for an upload with this configuration, with fake engines that record their calls. */
async function open(
  dataMoverConfig: Record<string, string> = {},
  location = aBackupStorageLocation(),
  repositoryConfig?: Record<string, string>,
) {
  const runs: { engine: RepositoryType; run: EngineRun }[] = [];
  const engineNoting = (engine: RepositoryType): EngineProcess => ({
    run: async (run) => {
      runs.push({ engine, run });
      const stdout = run.args[1] === 'show' && run.args[0] === 'policy' ? '{}' : '';
      const exitCode = stdout === '' ? 1 : 0;
      return { exitCode, endedBy: undefined, stdout, stderr: 'no', aborted: false };
    },
  });
  const objects: KubeObject[] = [
    location,
    aSecret({
      name: 'cloud-credentials',
      values: { cloud: '[default]\naws_access_key_id=A\naws_secret_access_key=S\n' },
    }),
    aSecret({ name: repositoryCredentials.name, values: { [repositoryCredentials.key]: 'password' } }),
    repositoryOf('kopia', repositoryConfig),
    repositoryOf('restic'),
  ];
  const cluster = fakeCluster({ objects });
  const log = recordingLog();
  const refuse = () => Promise.reject(new Error('not part of this test'));
  const resource = aDataUpload({ spec: { sourceNamespace: 'app', sourcePVC: 'data', dataMoverConfig } });
  const engine = await openEngine(
    {
      kube: cluster,
      listAccountKey: async () => undefined,
      clock: cluster.clock,
      random: seededRandom(1),
      log,
      config: {
        namespace,
        nodeName: 'n',
        podUid: undefined,
        scratchDirectory,
        terminationLogPath: '',
        engineBinary: 'kopia',
        resticBinary: 'restic',
        environment: {},
      },
      engines: { kopia: engineNoting('kopia'), restic: engineNoting('restic') },
      programs: { run: refuse },
      block: { devices: { open: async () => emptyDevice }, tools: () => ({ run: refuse }), scratchDirectory },
      flush: refuse,
      resourceTimeoutMs: 1_000,
      cacheVolumePath: undefined,
      limits: { memoryBytes: 512 * 1024 * 1024 },
    },
    subjectOf('data-upload').wish(resource as DataPathResource),
    resource as DataPathResource,
    signal,
  );
  return { engine, runs, cluster, log, resource: resource as DataPathResource };
}

describe('openEngine', () => {
  it.each([
    [{}, 'kopia', /^$/],
    [{ UploaderType: 'kopia' }, 'kopia', /^$/],
    [{ UploaderType: 'restic' }, 'restic', /^s3:http:\/\/s3\.test:9000\/backups\/restic\/app$/],
  ] as const)('for %j uses %s, with its own repository', async (config, wanted, identifier) => {
    const { engine, runs, resource } = await open(config);
    const task = subjectOf('data-upload').task(resource);
    if (task.direction !== 'backup') throw new Error('it is a backup');
    const { source } = task;
    expect(source.path).toBe(`snapshot-data-upload-download/${wanted}/app/data`);
    expect(source.tags['snapshot-uploader']).toBe(wanted);
    // The restore of a snapshot starts with a read of it.
    const snapshotID = '0123456789abcdef0123456789abcdef';
    const byEngine = { ...config, DirectRestore: 'false' };
    const request = { volumePath: '/uid', volumeMode: 'Filesystem' as const, snapshotID, config: byEngine, signal };
    await expect(engine.uploader.download({ ...request, onProgress: () => {} })).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
    });
    expect(runs.map((each) => each.engine)).toEqual([wanted]);
    const env = runs[0]?.run.env ?? {};
    expect(env.RESTIC_REPOSITORY ?? '').toMatch(identifier);
    expect(Number(env.GOMEMLIMIT?.replace('B', ''))).toBeLessThan(512 * 1024 * 1024);
    await engine.close();
  });

  it('limits its rate to that of the location, and logs it', async () => {
    const annotations = {
      'lateen.dev/upload-bytes-per-second': '1Mi',
      'lateen.dev/download-bytes-per-second': '2Mi',
    };
    const restic = { UploaderType: 'restic' };
    const { engine, runs, log } = await open(restic, aBackupStorageLocation({ annotations }));
    const request = { volumePath: '/uid', volumeMode: 'Filesystem' as const, snapshotID: '0'.repeat(64), signal };
    await engine.uploader.download({ ...request, config: restic, onProgress: () => {} }).catch(() => {});
    expect(runs[0]?.run.args).toEqual(expect.arrayContaining(['--limit-upload=1024', '--limit-download=2048']));
    expect(log.lines).toContainEqual(
      expect.objectContaining({
        message: 'the location limits the rate',
        fields: expect.objectContaining({ uploadBytesPerSecond: 2 ** 20, downloadBytesPerSecond: 2 ** 21 }),
      }),
    );
    await engine.close();
  });

  it('warns about a rate at which kopia pauses, and only then', async () => {
    const annotations = { 'lateen.dev/download-bytes-per-second': '48Ki' };
    const warned = async (config: Record<string, string>) => {
      const { engine, log } = await open(config, aBackupStorageLocation({ annotations }));
      await engine.close();
      return log.lines.filter(({ message }) => message?.includes('kopia pauses')).map(({ fields }) => fields);
    };
    expect(await warned({})).toMatchObject([{ pauseSeconds: 347 }]);
    expect(await warned({ UploaderType: 'restic' })).toEqual([]);
  });

  it('does not read the customer key of the location, because engines do not support it', async () => {
    const config = { s3Url: 'https://s3.test', customerKeyEncryptionSecret: 'sse/key' };
    const { engine, cluster } = await open({}, aBackupStorageLocation({ spec: { config } }));
    expect(cluster.calls.map(({ key }) => key.name)).not.toContain('sse');
    await engine.close();
  });

  it.each([
    [{ blockSplitter: 'FIXED-8M' }, 'FIXED-8M', []],
    [undefined, 'FIXED-4M', []],
    [{ blockSplitter: 'FOO' }, 'FIXED-4M', ['the repository has a splitter that kopia does not know; it is ignored']],
  ])(
    'splits block volumes of a repository whose configuration is %j by %s',
    async (repositoryConfig, splitter, warned) => {
      const { engine, runs, log, resource } = await open({}, aBackupStorageLocation(), repositoryConfig);
      const task = subjectOf('data-upload').task(resource);
      if (task.direction !== 'backup') throw new Error('it is a backup');
      const { source } = task;
      const request = { volumePath: '/uid', volumeMode: 'Block' as const, source, config: {}, signal };
      await engine.uploader.upload({ ...request, onProgress: () => {} }).catch(() => {});
      expect(runs.map(({ run }) => run.args.slice(0, 2))).toEqual([
        ['policy', 'show'],
        ['policy', 'set'],
      ]);
      expect(runs[1]?.run.args).toContain(`--splitter=${splitter}`);
      expect(log.messages('warn')).toEqual(warned);
      await engine.close();
    },
  );

  it('removes what an earlier, killed mover of the movement has left in scratch, and leaves nothing', async () => {
    const first = await open();
    const [own = ''] = await readdir(scratchDirectory);
    await writeFile(join(scratchDirectory, own, 'left'), 'x');
    await mkdir(join(scratchDirectory, 'anothers'));
    const second = await open();
    expect((await readdir(scratchDirectory)).sort()).toEqual(['anothers', own].sort());
    expect(await readdir(join(scratchDirectory, own))).toEqual(['udmrepo']);
    await second.engine.close();
    expect(await readdir(scratchDirectory)).toEqual(['anothers']);
    await first.engine.close();
  });

  it('names both engines when another one is asked for', async () => {
    await expect(open({ UploaderType: 'rsync' })).rejects.toMatchObject({
      code: 'UPLOADER_TYPE_UNKNOWN',
      nextStep: expect.stringMatching(/kopia.*restic/),
    });
  });
});
