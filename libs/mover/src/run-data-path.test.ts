import type { CoreEvent, KubeObject } from '@lateen/api-types';
import { type DataUpload, dataDownloadType, dataUploadType, eventType } from '@lateen/api-types';
import type { Uploader } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { eventRecorder } from '@lateen/kube-runtime';
import { FakeClock, type FakeCluster, fakeCluster, letWorkRun, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { DataPathEnd } from './data-path-end.ts';
import type { DataPathTask } from './data-path-ports.ts';
import type { EngineWish, VolumeMark } from './data-path-subject.ts';
import { runDataPath } from './run-data-path.ts';

const namespace = 'velero';
const task: DataPathTask = {
  dataPath: 'data-upload',
  volumePath: '/uid-1',
  volumeMode: 'Filesystem',
  name: 'du-1',
  resourceTimeoutMs: 600_000,
};

const aDataUpload = (phase: string, spec: Partial<DataUpload['spec']> = {}) => ({
  apiVersion: 'velero.io/v2alpha1',
  kind: 'DataUpload',
  metadata: { name: 'du-1', namespace, uid: 'uid-1', labels: { 'velero.io/async-operation-id': 'op-1' } },
  spec: {
    snapshotType: 'CSI',
    sourcePVC: 'data',
    sourceNamespace: 'shop',
    backupStorageLocation: 'default',
    operationTimeout: '10m0s',
    dataMoverConfig: { ParallelFilesUpload: '3' },
    ...spec,
  },
  status: { phase },
});

const endless: Uploader['upload'] = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

interface Given {
  phase?: string;
  spec?: Partial<DataUpload['spec']>;
  upload?: Uploader['upload'];
  download?: Uploader['download'];
  task?: Partial<DataPathTask>;
  openError?: Error;
  /** The first attempts to open fail with these errors. */
  openErrors?: Error[];
  volumeError?: Error;
  markError?: Error;
  isMarked?: boolean;
}

/** Starts a data path in its own cluster. */
function start(given: Given = {}) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [aDataUpload(given.phase ?? 'InProgress', given.spec)] });
  const log = recordingLog();
  const random = seededRandom(7);
  const events = eventRecorder({ api: cluster, component: 'du-1', host: 'node-1', clock, random, log });
  const stop = new AbortController();
  const calls: string[] = [];
  const wishes: unknown[] = [];
  const notCalled = () => Promise.reject(new Error('the wrong direction was taken'));
  const ports = {
    kube: cluster,
    clock,
    random,
    log,
    namespace,
    podUid: 'uid-pod',
    record: (about: Parameters<typeof events.record>[0], { reason, message }: { reason: string; message: string }) =>
      events.record(about, reason, message),
    checkVolume: async () => {
      calls.push('checkVolume');
      if (given.volumeError) throw given.volumeError;
    },
    isMarked: async () => given.isMarked ?? false,
    markVolume: async ({ restoreUid }: VolumeMark) => {
      calls.push(`mark ${restoreUid}`);
      if (given.markError) throw given.markError;
    },
    openEngine: async ({ type, volumeNamespace, config }: EngineWish) => {
      calls.push('openEngine');
      wishes.push({ type, volumeNamespace, config });
      const error = given.openError ?? given.openErrors?.shift();
      if (error) throw error;
      return {
        uploader: { upload: given.upload ?? notCalled, download: given.download ?? notCalled },
        close: async () => {
          calls.push('close');
        },
      };
    },
  };
  const end = runDataPath({ ...task, ...given.task }, ports, stop.signal);
  return { cluster, clock, log, end, stop, calls, wishes };
}

/** Reason → message, in the order in which the Events were created. */
async function eventsOf(cluster: FakeCluster): Promise<string[][]> {
  await cluster.settle();
  return cluster
    .all<CoreEvent>(eventType)
    .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
    .map((event) => [event.reason ?? '', event.message ?? '']);
}

async function ended(end: Promise<DataPathEnd>): Promise<DataPathEnd> {
  const result = await Promise.race([end, letWorkRun().then(letWorkRun).then(letWorkRun)]);
  if (result === undefined) throw new Error('the data path has not ended');
  return result;
}

describe('runDataPath', () => {
  it('reports a warning of the engine as an Event of that type, truncated to the Kubernetes limit', async () => {
    const { cluster, end } = start({
      upload: async ({ onWarning }) => {
        onWarning?.(`begin ${'x'.repeat(5000)} end`);
        return { snapshotID: 'abc', totalBytes: 100, incrementalBytes: 40 };
      },
    });
    expect((await end).exitCode).toBe(0);
    const warnings = (await eventsOf(cluster)).filter(([reason]) => reason === 'Data-Path-Warning');
    expect(warnings).toHaveLength(1);
    const [, long = ''] = warnings[0] ?? [];
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(1024);
    expect(long).toMatch(/^begin x+ … x+ end$/);
  });

  it('uploads when the DataUpload is InProgress and reports by Events and termination message', async () => {
    let seen: unknown;
    const { cluster, end, calls } = start({
      upload: async ({ onProgress, onWarning: _, signal: __, ...request }) => {
        seen = { ...request };
        onProgress({ doneBytes: 0 });
        onProgress({ totalBytes: 100, doneBytes: 100 });
        return { snapshotID: 'abc', totalBytes: 100, incrementalBytes: 40 };
      },
    });
    const { exitCode, terminationMessage } = await end;
    expect(exitCode).toBe(0);
    expect(terminationMessage).toBe(
      '{"snapshotID":"abc","emptySnapshot":false,"source":{"byPath":"/uid-1","volumeMode":"Filesystem"},"totalBytes":100,"incrementalBytes":40}',
    );
    expect(await eventsOf(cluster)).toEqual([
      ['Data-Path-Started', 'Data path for du-1 started'],
      ['Data-Path-Progress', '{"totalBytes":100,"doneBytes":100}'],
      ['Data-Path-Completed', terminationMessage],
      ['Data-Path-Stopped', 'Data path for du-1 stopped'],
    ]);
    expect(seen).toEqual({
      volumePath: '/uid-1',
      volumeMode: 'Filesystem',
      source: {
        path: 'snapshot-data-upload-download/kopia/shop/data',
        tags: {
          'snapshot-requester': 'snapshot-data-upload-download',
          'snapshot-uploader': 'kopia',
          'velero.io/async-operation-id': 'op-1',
        },
      },
      config: { ParallelFilesUpload: '3' },
    });
    expect(calls).toEqual(['checkVolume', 'openEngine', 'close']);
  });

  it.each([
    ['none', { ReadUnchangedFiles: 'true' }],
    ['auto', {}],
    ['', {}],
    ['0a1b2c3d', { ParentSnapshot: '0a1b2c3d' }],
  ])(
    'passes a parentSnapshot to the engine, and makes a full upload only for none: %j',
    async (parentSnapshot, more) => {
      const configs: unknown[] = [];
      const upload: Uploader['upload'] = async ({ config }) => {
        configs.push(config);
        return { snapshotID: 'a', totalBytes: 1, incrementalBytes: 1 };
      };
      const { end } = start({ spec: { parentSnapshot }, upload });
      await end;
      expect(configs).toEqual([{ ParallelFilesUpload: '3', ...more }]);
    },
  );

  it('emits Normal Events about the DataUpload, from its name on its node', async () => {
    const { cluster, end } = start({ upload: async () => ({ snapshotID: 'a', totalBytes: 1, incrementalBytes: 1 }) });
    await end;
    await cluster.settle();
    for (const event of cluster.all<CoreEvent>(eventType)) {
      expect(event).toMatchObject({
        involvedObject: { apiVersion: 'velero.io/v2alpha1', kind: 'DataUpload', namespace, name: 'du-1', uid: 'uid-1' },
        source: { component: 'du-1', host: 'node-1' },
        type: 'Normal',
      });
    }
  });

  it('starts nothing before it sees InProgress', async () => {
    const { cluster, end, calls } = start({
      phase: 'Prepared',
      upload: async () => ({ snapshotID: 'abc', totalBytes: 1, incrementalBytes: 1 }),
    });
    await cluster.settle();
    expect(calls).toEqual([]);
    expect(cluster.calls.filter(({ verb }) => verb !== 'list' && verb !== 'watch')).toEqual([]);
    cluster.change(dataUploadType, { namespace, name: 'du-1' }, (object) => {
      object.status = { phase: 'InProgress' };
    });
    expect((await ended(end)).exitCode).toBe(0);
  });

  it('restores for a DataDownload', async () => {
    const { cluster, end } = start({
      task: { dataPath: 'data-download', name: 'dd-1' },
      download: async ({ snapshotID }) => ({ totalBytes: snapshotID === 'abc' ? 7 : 0 }),
    });
    cluster.put({
      apiVersion: 'velero.io/v2alpha1',
      kind: 'DataDownload',
      metadata: { name: 'dd-1', namespace, uid: 'uid-2' },
      spec: { snapshotID: 'abc', sourceNamespace: 'shop', backupStorageLocation: 'default' },
      status: { phase: 'InProgress' },
    } as KubeObject);
    const { exitCode, terminationMessage } = await end;
    expect([exitCode, terminationMessage]).toEqual([
      0,
      '{"target":{"byPath":"/uid-1","volumeMode":"Filesystem"},"totalBytes":7}',
    ]);
    expect(cluster.find(dataDownloadType, { namespace, name: 'dd-1' })?.status).toEqual({ phase: 'InProgress' });
  });
  describe('for a volume of a pod', () => {
    const pod = { kind: 'Pod', namespace: 'shop', name: 'db-0', uid: 'u' };
    const common = { pod, volume: 'data', backupStorageLocation: 'default', repoIdentifier: '' };
    const aBackup = {
      apiVersion: 'velero.io/v1',
      kind: 'PodVolumeBackup',
      metadata: { name: 'pvb-1', namespace, uid: 'uid-3', annotations: { 'velero.io/pvc-name': 'data-db-0' } },
      spec: { ...common, node: 'n', uploaderType: 'kopia', uploaderSettings: { ParallelFilesUpload: '3' } },
      status: { phase: 'InProgress' },
    };
    const aRestore = (owners: { uid: string }[]) => ({
      apiVersion: 'velero.io/v1',
      kind: 'PodVolumeRestore',
      metadata: {
        name: 'pvr-1',
        namespace,
        uid: 'uid-4',
        ownerReferences: owners.map(({ uid }) => ({ apiVersion: 'velero.io/v1', kind: 'Restore', name: 'r', uid })),
      },
      spec: { ...common, snapshotID: '0a1b2c3d', sourceNamespace: 'before', uploaderType: 'restic' },
      status: { phase: 'InProgress' },
    });
    const download: Uploader['download'] = async () => ({ totalBytes: 7 });

    it('backs up with the identity of the pod and its claim', async () => {
      const uploaded: unknown[] = [];
      const { cluster, end, wishes } = start({
        task: { dataPath: 'pod-volume-backup', name: 'pvb-1' },
        upload: async ({ source, config }) => {
          uploaded.push(source.path, config);
          return { snapshotID: 'abc', totalBytes: 7, incrementalBytes: 7 };
        },
      });
      cluster.put(aBackup as KubeObject);
      expect(JSON.parse((await end).terminationMessage)).toMatchObject({ snapshotID: 'abc', totalBytes: 7 });
      const config = { ParallelFilesUpload: '3', UploaderType: 'kopia' };
      expect(uploaded).toEqual(['snapshot-pod-volume/kopia/shop/db-0/data-db-0', config]);
      expect(wishes).toEqual([{ type: 'kopia', volumeNamespace: 'shop', config }]);
    });

    it('reports its end in the wording of Velero', async () => {
      const upload = () => Promise.reject(new AppError('UPLOADER_FAILED', 'no such bucket'));
      const { cluster, end } = start({ task: { dataPath: 'pod-volume-backup', name: 'pvb-1' }, upload });
      cluster.put(aBackup as KubeObject);
      expect((await end).terminationMessage).toBe('Failed to run data path service for PVB pvb-1: no such bucket');
      expect(await eventsOf(cluster)).toContainEqual([
        'Data-Path-Failed',
        'Data path for PVB pvb-1 failed, error no such bucket',
      ]);
    });

    it('restores from the repository of the source, and marks the volume with the UID of the Restore at the end', async () => {
      const { cluster, end, calls, wishes } = start({
        task: { dataPath: 'pod-volume-restore', name: 'pvr-1' },
        download: async (request) => {
          calls.push(`download ${request.snapshotID}`);
          return await download(request);
        },
      });
      cluster.put(aRestore([{ uid: 'restore-1' }, { uid: 'other' }]) as KubeObject);
      expect((await end).exitCode).toBe(0);
      expect(calls).toEqual(['checkVolume', 'openEngine', 'download 0a1b2c3d', 'mark restore-1', 'close']);
      expect(wishes).toEqual([{ type: 'restic', volumeNamespace: 'before', config: { UploaderType: 'restic' } }]);
    });

    it('writes nothing into a volume that an earlier attempt has marked, because its pod may start at any time', async () => {
      const { cluster, end, calls } = start({
        task: { dataPath: 'pod-volume-restore', name: 'pvr-1' },
        isMarked: true,
      });
      const restore = aRestore([{ uid: 'restore-1' }]);
      cluster.put({ ...restore, spec: { ...restore.spec, snapshotSize: 7 } } as KubeObject);
      expect(JSON.parse((await end).terminationMessage)).toMatchObject({ totalBytes: 7 });
      expect(calls).toEqual(['checkVolume']);
      expect((await eventsOf(cluster)).map(([reason]) => reason)).toEqual([
        'Data-Path-Started',
        'Data-Path-Completed',
        'Data-Path-Stopped',
      ]);
    });

    it('does not complete without its mark, because the pod would wait forever', async () => {
      const markError = new AppError('VOLUME_NOT_MARKED', 'no space for the mark');
      const { cluster, end } = start({ task: { dataPath: 'pod-volume-restore', name: 'pvr-1' }, download, markError });
      cluster.put(aRestore([{ uid: 'restore-1' }]) as KubeObject);
      expect(await end).toMatchObject({
        exitCode: 1,
        terminationMessage: 'Failed to run data path service for PVR pvr-1: no space for the mark',
      });
    });

    it.each([[[]], [[{ uid: '../etc' }]]])(
      'moves nothing when its owners are %j, because it could not write the mark',
      async (owners) => {
        const { cluster, end, calls } = start({ task: { dataPath: 'pod-volume-restore', name: 'pvr-1' }, download });
        cluster.put(aRestore(owners) as KubeObject);
        expect((await end).terminationMessage).toMatch(/has no owner whose uid could mark the volume/);
        expect(calls).toEqual([]);
      },
    );

    it('rejects an unknown engine before it opens anything', async () => {
      const { cluster, end, calls } = start({ task: { dataPath: 'pod-volume-backup', name: 'pvb-1' } });
      cluster.put({ ...aBackup, spec: { ...aBackup.spec, uploaderType: 'rsync' } } as KubeObject);
      expect((await end).terminationMessage).toMatch(/spec\.uploaderType "rsync" is not an engine of Lateen/);
      expect(calls).toEqual([]);
    });
  });

  it('ends as cancelled when spec.cancel is set, with the suffix that node-agent looks for', async () => {
    const { cluster, end, calls } = start({ upload: endless });
    await cluster.settle();
    cluster.change(dataUploadType, { namespace, name: 'du-1' }, (object) => {
      object.spec.cancel = true;
    });
    const { exitCode, terminationMessage } = await end;
    expect([exitCode, terminationMessage]).toEqual([
      1,
      'Failed to run data path service for DataUpload du-1: data path is canceled',
    ]);
    expect(await eventsOf(cluster)).toEqual([
      ['Data-Path-Started', 'Data path for du-1 started'],
      ['Data-Path-Canceling', 'Canceling for data upload du-1'],
      ['Data-Path-Canceled', 'Data path for data upload du-1 canceled'],
      ['Data-Path-Stopped', 'Data path for du-1 stopped'],
    ]);
    expect(calls).toContain('close');
  });

  it.each([
    ['cancelled before it started', { phase: 'Prepared', spec: { cancel: true } }, /: data path is canceled$/],
    ['ended by its node-agent', { phase: 'Failed' }, /DataUpload velero\/du-1 has already ended as Failed$/],
    ['missing', { task: { name: 'du-2' } }, /DataUpload velero\/du-2 does not exist/],
  ])('starts nothing when the DataUpload is %s', async (_, given, message) => {
    const { end, calls } = start(given);
    const { exitCode, terminationMessage } = await end;
    expect(exitCode).toBe(1);
    expect(terminationMessage).toMatch(message);
    expect(calls).toEqual([]);
  });

  it('also reports by Event that it was cancelled before it could start', async () => {
    const { cluster, end } = start({ phase: 'Prepared', spec: { cancel: true } });
    await end;
    expect(await eventsOf(cluster)).toEqual([
      ['Data-Path-Canceled', 'Data path for data upload du-1 canceled'],
      ['Data-Path-Stopped', 'Data path for du-1 exited without start'],
    ]);
  });

  it('stops the engine when the DataUpload is deleted during the upload', async () => {
    const { cluster, end } = start({ upload: endless });
    await cluster.settle();
    cluster.remove(dataUploadType, { namespace, name: 'du-1' });
    expect((await end).terminationMessage).toMatch(/DataUpload velero\/du-1 does not exist/);
  });

  it.each<[string, string, Error | undefined]>([
    [
      'stops',
      'the data mover was told to stop (SIGTERM); the engine has ended and the repository is unlocked',
      undefined,
    ],
    ['breaks', 'kopia: connection lost', new AppError('UPLOADER_FAILED', 'kopia: connection lost')],
  ])('reports an interruption when it is told to end and the engine %s', async (_, words, engineError) => {
    const { cluster, end, stop } = start({
      upload: async (request) => {
        await endless(request).catch((error: unknown) => Promise.reject(engineError ?? error));
        throw new Error('endless has ended');
      },
    });
    await cluster.settle();
    stop.abort(new AppError('STOPPED', 'the data mover was told to stop (SIGTERM)'));
    const text = `${words}: data path is interrupted`;
    expect(await end).toEqual({
      exitCode: 1,
      engineHangs: false,
      terminationMessage: `Failed to run data path service for DataUpload du-1: ${text}`,
    });
    const failed = (await eventsOf(cluster)).find(([reason]) => reason === 'Data-Path-Failed');
    expect(failed?.[1]).toBe(`Data path for data upload du-1 failed, error ${text}`);
  });

  it('reports that nothing was moved when it is told to end while it waits', async () => {
    const { cluster, end, stop } = start({ phase: 'Prepared' });
    await cluster.settle();
    stop.abort(new AppError('STOPPED', 'the data mover was told to stop (SIGINT)'));
    expect((await end).terminationMessage).toMatch(/\(SIGINT\); no data was moved: data path is interrupted$/);
  });

  it.each(['Accepted', 'Failed', ''])(
    'stops the engine when the DataUpload is no longer in progress but %j',
    async (phase) => {
      const { cluster, end } = start({ upload: endless });
      await cluster.settle();
      cluster.change(dataUploadType, { namespace, name: 'du-1' }, (object) => {
        object.status = { phase: phase as 'Accepted' };
      });
      expect(await end).toMatchObject({ exitCode: 1, terminationMessage: expect.stringContaining(phase || 'New') });
    },
  );

  it.each<[string, (object: DataUpload) => void]>([
    [
      'is in another attempt',
      ({ metadata }) => {
        metadata.annotations = { 'lateen.dev/attempts': '2' };
      },
    ],
    [
      'names another pod',
      ({ metadata }) => {
        metadata.annotations = { 'lateen.dev/hosting-pod-uid': 'another' };
      },
    ],
  ])('stops the engine when the DataUpload is InProgress, but %s', async (_, edit) => {
    const { cluster, end } = start({ upload: endless });
    await cluster.settle();
    cluster.change(dataUploadType, { namespace, name: 'du-1' }, edit);
    expect((await end).exitCode).toBe(1);
  });

  it('writes nothing when the object names another pod, and reports an interruption', async () => {
    const { cluster, end, calls } = start({ phase: 'Prepared' });
    await cluster.settle();
    cluster.change(dataUploadType, { namespace, name: 'du-1' }, (object) => {
      object.metadata.annotations = { 'lateen.dev/hosting-pod-uid': 'another' };
      object.status = { phase: 'InProgress' };
    });
    expect((await end).terminationMessage).toMatch(
      /is moved by another pod than this one.*: data path is interrupted$/,
    );
    expect(calls).toEqual([]);
  });

  it('begins when its own pod is named', async () => {
    const { cluster, end } = start({
      phase: 'Prepared',
      upload: async () => ({ snapshotID: 'abc', totalBytes: 1, incrementalBytes: 1 }),
    });
    await cluster.settle();
    cluster.change(dataUploadType, { namespace, name: 'du-1' }, (object) => {
      object.metadata.annotations = { 'lateen.dev/hosting-pod-uid': 'uid-pod' };
      object.status = { phase: 'InProgress' };
    });
    expect((await ended(end)).exitCode).toBe(0);
  });

  it.each<[string, (object: DataUpload) => void]>([
    [
      'turns Canceling without a visible cancel request',
      (object) => {
        object.status = { phase: 'Canceling' };
      },
    ],
    [
      'loses its spec',
      (object) => {
        Reflect.deleteProperty(object, 'spec');
      },
    ],
  ])('continues while the DataUpload %s', async (_, change) => {
    const gate = Promise.withResolvers<void>();
    const { cluster, end } = start({
      upload: async () => {
        await gate.promise;
        return { snapshotID: 'a', totalBytes: 1, incrementalBytes: 1 };
      },
    });
    await cluster.settle();
    cluster.change(dataUploadType, { namespace, name: 'du-1' }, change);
    await cluster.settle();
    gate.resolve();
    expect((await end).exitCode).toBe(0);
  });

  it('waits a limited time for an unavailable API server when it opens the repository', async () => {
    const away = new AppError('KUBE_UNAVAILABLE', 'connection refused', { retry: 'soon' });
    const upload: Uploader['upload'] = async () => ({ snapshotID: 'a', totalBytes: 1, incrementalBytes: 1 });
    const back = start({ upload, openErrors: [away, away] });
    await back.clock.advance(10_000);
    expect((await back.end).exitCode).toBe(0);
    const gone = start({ upload, openError: away });
    await gone.clock.advance(11 * 60_000);
    expect((await gone.end).terminationMessage).toContain('connection refused');
  });

  it('reports an interruption when the engine is killed', async () => {
    const killed = new AppError('ENGINE_KILLED', 'uploading /uid-1: the engine was killed');
    const { end } = start({ upload: () => Promise.reject(killed) });
    expect((await end).terminationMessage).toMatch(/the engine was killed: data path is interrupted$/);
  });

  it.each<[string, Given]>([
    ['volume is not mounted', { volumeError: new AppError('VOLUME_NOT_MOUNTED', 'no volume is mounted at /uid-1') }],
    [
      'repository is not ready',
      { openError: new AppError('REPOSITORY_NOT_READY', 'backup repository is not ready: x') },
    ],
  ])('fails without starting when the %s', async (_, given) => {
    const { cluster, end } = start(given);
    const why = (given.volumeError ?? given.openError)?.message;
    expect((await end).terminationMessage).toBe(`Failed to run data path service for DataUpload du-1: ${why}`);
    expect(await eventsOf(cluster)).toEqual([
      ['Data-Path-Failed', `Data path for data upload du-1 failed, error ${why}`],
      ['Data-Path-Stopped', 'Data path for du-1 exited without start'],
    ]);
  });

  it('reports progress at most once a second at first, and always the last one', async () => {
    const { cluster, end } = start({
      upload: async ({ onProgress }) => {
        for (let done = 1; done <= 50; done++) onProgress({ totalBytes: 50, doneBytes: done });
        return { snapshotID: 'abc', totalBytes: 50, incrementalBytes: 50 };
      },
    });
    await end;
    await cluster.settle();
    const progress = cluster.all<CoreEvent>(eventType).find(({ reason }) => reason === 'Data-Path-Progress');
    expect(progress?.message).toBe('{"totalBytes":50,"doneBytes":50}');
    expect(progress?.count).toBe(2);
  });
});
