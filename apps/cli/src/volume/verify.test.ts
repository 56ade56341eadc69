import { gzipSync } from 'node:zlib';
import { type Backup, type Job, jobType, type KubeObject } from '@lateen/api-types';
import { baseNotes } from '@lateen/changed-blocks/base';
import { type OperationReport, reportLine } from '@lateen/maintenance';
import {
  aBackupRepository,
  aBackupStorageLocation,
  aDataUpload,
  aPersistentVolumeClaim,
  aVolumeSnapshot,
  FakeClock,
  fakeCluster,
  type JobProgram,
  jobActor,
  type RunningJob,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { answerDownloads, servedFiles } from '../download/served-files.ts';
import { runForTests } from '../run-for-tests.ts';

const GiB = 1024 ** 3;
const repositoryLabels = (type: string) => ({
  'velero.io/volume-namespace': 'shop',
  'velero.io/storage-location': 'default',
  'velero.io/repository-type': type,
});
const repository = (repositoryType: 'kopia' | 'restic' = 'kopia') =>
  aBackupRepository({
    name: `shop-default-${repositoryType}`,
    labels: repositoryLabels(repositoryType),
    spec: { volumeNamespace: 'shop', backupStorageLocation: 'default', repositoryType },
  });
const upload = (name: string, status: object, dataMoverConfig: Record<string, string> = {}) =>
  aDataUpload({
    name,
    labels: { 'velero.io/backup-name': 'nightly' },
    spec: { sourceNamespace: 'shop', sourcePVC: 'data', backupStorageLocation: 'default', dataMoverConfig },
    status,
  });
const stored = upload('data-1', { phase: 'Completed', snapshotID: 'k1' });
const base = aVolumeSnapshot({
  namespace: 'velero',
  name: 'data-1',
  metadata: baseNotes({
    claim: { namespace: 'shop', name: 'data', uid: 'claim-1' },
    driver: 'csi.lateen.dev',
    volumeHandle: 'vol-1',
    snapshotHandle: 'snap-1',
    snapshotID: 'k1',
    backupStorageLocation: 'default',
  }),
  status: { readyToUse: true, restoreSize: '1Gi' },
});
const blockClaim = aPersistentVolumeClaim({ namespace: 'shop', name: 'data', spec: { volumeMode: 'Block' } });
const controller = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'lateen-controller', namespace: 'velero' },
  spec: {
    selector: {},
    template: { spec: { containers: [{ name: 'lateen-controller', image: 'localhost/lateen:dev' }] } },
  },
};
const sound = {
  engine: 'kopia',
  snapshotID: 'k1',
  readDataPercent: 100,
  readBytes: GiB,
  problems: [],
  problemCount: 0,
};

function ends(job: RunningJob, result: object) {
  const end = { operation: 'verify', repository: 'shop-default-kopia', durationMs: 12_000, succeeded: true, result };
  job.write(reportLine({ report: 'end', ...end } as OperationReport));
  return { exitCode: 0, terminationMessage: JSON.stringify(end) };
}

function setUp({ objects = [stored], result = sound }: { objects?: KubeObject[]; result?: object } = {}) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const cluster = fakeCluster({ clock, objects: [controller, repository(), repository('restic'), ...objects] });
  const seen: { job: Job; args: readonly string[] }[] = [];
  const claims: KubeObject[] = [];
  cluster.onChange(({ type, object }) => {
    if (type === 'ADDED' && object.kind === 'PersistentVolumeClaim') claims.push(object);
  });
  const program: JobProgram = (job) => {
    seen.push({ job: job.job, args: job.args });
    return ends(job, result);
  };
  jobActor(cluster, program);
  const kube = Object.assign(cluster, { stream: cluster.podLogs.stream.bind(cluster.podLogs) });
  const run = async (...words: string[]) => {
    let isOver = false;
    const running = runForTests({ clock, random: seededRandom(), kube }, ['volume', 'verify', ...words]);
    running.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    await clock.advanceUntil(() => isOver, { withinMs: 3_600_000 });
    return running;
  };
  return { cluster, run, seen, claims };
}

describe('lateen volume verify', () => {
  it('runs a Job that verifies the snapshot of an upload, and prints the result', async () => {
    const { cluster, run, seen } = setUp();
    const { stdout } = await run('data-1', '--share', '10');
    expect(stdout).toBe('data-1: no damage found (snapshot k1 of shop/data; 100 % of the data read (1 GiB); 12s)\n');
    expect(seen[0]?.args).toEqual([
      'verify',
      '--repo-name=shop-default-kopia',
      '--snapshot-id=k1',
      '--read-data-percent=10',
      '--output=json',
    ]);
    expect(cluster.all(jobType)).toEqual([]);
  });

  it('finds the volume by backup and claim, also that of a pod', async () => {
    const pvb = {
      apiVersion: 'velero.io/v1',
      kind: 'PodVolumeBackup',
      metadata: { namespace: 'velero', name: 'pvb-1', labels: { 'velero.io/backup-name': 'nightly' } },
      spec: {
        pod: { kind: 'Pod', namespace: 'shop', name: 'web-0' },
        volume: 'cache',
        backupStorageLocation: 'default',
        uploaderType: 'kopia',
      },
      status: { phase: 'Completed', snapshotID: 'k7' },
    };
    const { run, seen } = setUp({ objects: [stored, pvb] });
    await run('--from-backup', 'nightly', '--volume', 'shop/data');
    await run('--from-backup', 'nightly', '--volume', 'shop/web-0:cache');
    expect(seen.map(({ args }) => args[2])).toEqual(['--snapshot-id=k1', '--snapshot-id=k7']);
  });

  const moved = { dataMover: '', uploaderType: 'kopia', operationID: 'du-1', size: 1, Phase: 'Completed' };
  const volumeInfo = [
    { pvcNamespace: 'shop', pvcName: 'other', snapshotDataMovementInfo: { ...moved, snapshotHandle: 'k0' } },
    { pvcNamespace: 'shop', pvcName: 'data', snapshotDataMovementInfo: { ...moved, snapshotHandle: 'k1' } },
    {
      pvbInfo: {
        snapshotHandle: 'k7',
        uploaderType: 'kopia',
        podNamespace: 'shop',
        podName: 'web-0',
        volumeName: 'cache',
        Phase: 'Completed',
      },
    },
    {
      pvcNamespace: 'shop',
      pvcName: 'lost',
      snapshotDataMovementInfo: { ...moved, snapshotHandle: '', Phase: 'Failed' },
    },
    {
      pvcNamespace: 'shop',
      pvcName: 'old',
      snapshotDataMovementInfo: { ...moved, snapshotHandle: 'r', uploaderType: 'restic' },
    },
    {
      pvcNamespace: 'shop',
      pvcName: 'theirs',
      snapshotDataMovementInfo: { ...moved, snapshotHandle: 'x', dataMover: 'x/y' },
    },
  ];
  const synced: Backup = {
    apiVersion: 'velero.io/v1',
    kind: 'Backup',
    metadata: { namespace: 'velero', name: 'nightly' },
    spec: { storageLocation: 'default' },
    status: { phase: 'Completed' },
  };
  /** Of a backup that the sync has found in a bucket: its uploads are not in this cluster. */
  async function withBucket<T>(act: (rig: ReturnType<typeof setUp>, asked: unknown[]) => Promise<T>): Promise<T> {
    const server = await servedFiles({ 'BackupVolumeInfos nightly': gzipSync(JSON.stringify(volumeInfo)) });
    try {
      const rig = setUp({ objects: [synced, aBackupStorageLocation()] });
      return await act(rig, answerDownloads(rig.cluster, server.linked));
    } finally {
      server.close();
    }
  }

  it('finds the volume in the volume information of a backup whose uploads are not in the cluster', async () => {
    await withBucket(async ({ run, seen }) => {
      const { stdout } = await run('--from-backup', 'nightly', '--volume', 'shop/data', '-o', 'json');
      expect(JSON.parse(stdout)).toMatchObject({ kind: 'Backup', name: 'nightly', volume: 'shop/data' });
      await run('--from-backup', 'nightly', '--volume', 'shop/web-0:cache');
      expect(seen.map(({ args }) => args.slice(1, 3))).toEqual([
        ['--repo-name=shop-default-kopia', '--snapshot-id=k1'],
        ['--repo-name=shop-default-kopia', '--snapshot-id=k7'],
      ]);
    });
  });

  it.each([
    ['shop/none', [], 'backup nightly has moved no volume shop/none. See what it has: lateen backup describe nightly'],
    ['shop/theirs', [], 'backup nightly has moved no volume shop/theirs'],
    ['shop/lost', [], 'the upload of shop/lost in backup nightly is Failed: it has stored no snapshot'],
    ['shop/old', [], 'restic cannot check a single snapshot'],
    ['shop/data', ['--compare', 'always'], 'no VolumeSnapshot was kept with which shop/data can be compared'],
  ])('says of volume %s %j in such a backup why it cannot be verified', async (volume, words, message) => {
    await withBucket(async ({ run, seen }) => {
      const { code, stderr } = await run('--from-backup', 'nightly', '--volume', volume, ...words);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
      expect(seen).toEqual([]);
    });
  });

  it('asks for no file when the upload is in the cluster', async () => {
    const rig = setUp({ objects: [stored, synced] });
    const asked = answerDownloads(rig.cluster, undefined);
    await rig.run('--from-backup', 'nightly', '--volume', 'shop/data');
    expect([asked, rig.seen.length]).toEqual([[], 1]);
  });

  it('compares a block volume with its kept snapshot, by a claim that belongs to the Job', async () => {
    const { run, seen, claims } = setUp({
      objects: [stored, blockClaim, base],
      result: { ...sound, comparedBytes: GiB },
    });
    const { stdout } = await run('data-1', '-o', 'json');
    expect(JSON.parse(stdout)).toEqual({
      kind: 'DataUpload',
      name: 'data-1',
      volume: 'shop/data',
      repository: 'shop-default-kopia',
      comparedWith: 'velero/data-1',
      durationMs: 12_000,
      ...sound,
      comparedBytes: GiB,
    });
    const [{ job, args } = { job: {} as Job, args: [] }] = seen;
    expect(args).toContain('--volume-path=/dev/compared-volume');
    expect(claims).toMatchObject([
      {
        metadata: { name: job.metadata.name, ownerReferences: [{ kind: 'Job', uid: job.metadata.uid }] },
        spec: {
          volumeMode: 'Block',
          resources: { requests: { storage: '1Gi' } },
          dataSource: { kind: 'VolumeSnapshot', name: 'data-1' },
        },
      },
    ]);
  });

  const withFiles = aPersistentVolumeClaim({ namespace: 'shop', name: 'data' });
  const deleted = {
    ...base,
    metadata: { ...base.metadata, deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['x'] },
  };
  it.each<[string, string[], KubeObject[]]>([
    ['it is disabled', ['--compare', 'never'], [blockClaim, base]],
    ['the volume has a file system', [], [withFiles, base]],
    ['the claim is gone', [], [base]],
    ['the kept snapshot is being deleted', [], [blockClaim, deleted]],
    ['no snapshot was kept', [], [blockClaim]],
  ])('compares nothing when %s', async (_, words, objects) => {
    const { run, seen } = setUp({ objects: [stored, ...objects] });
    await run('data-1', ...words);
    expect(seen.flatMap(({ args }) => args.filter((each) => each.startsWith('--volume-path')))).toEqual([]);
  });

  it('lists damage and fails', async () => {
    const problems = ['the volume has other bytes than the snapshot from offset 5000000 on'];
    const { run } = setUp({ result: { ...sound, problems, problemCount: 3 } });
    const { code, stdout, stderr } = await run('data-1');
    expect(code).toBe(1);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      expect.stringContaining('data-1: DAMAGED, 3 problems (snapshot k1 of shop/data; '),
      `  ${problems[0]}`,
      '  … and 2 more',
    ]);
    expect(stderr).toContain('snapshot k1 of shop/data is damaged or differs: 3 problems. Back up the volume again');
  });

  it.each([
    [[], 2, 'no stored volume was named'],
    [['data-1', '--volume', 'shop/data'], 2, 'cannot be combined'],
    [['--from-backup', 'nightly'], 2, 'no stored volume'],
    [['data-1', '--share', '0'], 2, '--share "0" is not a percentage'],
    [['data-1', '--compare', 'maybe'], 2, '--compare "maybe" is not known'],
    [['gone'], 1, '"gone"'],
    [['--from-backup', 'nightly', '--volume', 'shop/x'], 1, 'backup nightly has moved no volume shop/x'],
    [['data-2'], 1, 'DataUpload data-2 is InProgress'],
    [['data-3'], 1, 'restic'],
    [['data-1', '--compare', 'always'], 1, 'no VolumeSnapshot was kept'],
  ])('%j ends with %d: %s', async (words, exitCode, message) => {
    const objects = [
      stored,
      upload('data-2', { phase: 'InProgress' }),
      upload('data-3', { phase: 'Completed', snapshotID: 'r1' }, { UploaderType: 'restic' }),
      aPersistentVolumeClaim({ namespace: 'shop', name: 'data' }),
      { ...base, metadata: { ...base.metadata, name: 'other' } },
    ];
    const { run, seen } = setUp({ objects });
    const { code, stdout, stderr } = await run(...words);
    expect({ code, stdout, stderr }).toEqual({ code: exitCode, stdout: '', stderr: expect.stringContaining(message) });
    expect(seen).toEqual([]);
  });
});
