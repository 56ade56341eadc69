import {
  type Container,
  type KubeObject,
  labels,
  type Pod,
  type PodVolumeBackup,
  podVolumeRestoreType,
  type Unstructured,
} from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import {
  aConfigMap,
  aPersistentVolume,
  aPersistentVolumeClaim,
  aPod,
  aRestoreContext,
  type RestoreContextParts,
  restoredBy,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { podVolumeRestoreAction } from './pod-volume-restore-action.ts';

const neverAborts = new AbortController().signal;

const stored = (
  volume: string,
  parts: { pod?: string; phase?: string; snapshotID?: string; spec?: Partial<PodVolumeBackup['spec']> } = {},
) => {
  const { pod = 'db-0', phase = 'Completed', snapshotID = 's', spec = {} } = parts;
  return {
    apiVersion: 'velero.io/v1',
    kind: 'PodVolumeBackup',
    metadata: { namespace: 'velero', name: `${pod}-${volume}` },
    spec: {
      node: 'n',
      volume,
      pod: { kind: 'Pod', namespace: 'shop', name: pod },
      backupStorageLocation: 'd',
      repoIdentifier: '',
      ...spec,
    },
    status: { phase, snapshotID, progress: { totalBytes: 7, bytesDone: 7 } },
  } as PodVolumeBackup;
};

const aDatabase = (spec: Partial<Pod['spec']> = {}, annotations: Record<string, string> = {}): Pod =>
  aPod({
    namespace: 'shop',
    name: 'db-0',
    annotations,
    spec: { volumes: [{ name: 'data' }, { name: 'logs' }, { name: 'tmp', emptyDir: {} }], ...spec },
  });

async function act(
  pod: Pod,
  podVolumeBackups: readonly PodVolumeBackup[],
  { isThere = true, ...parts }: RestoreContextParts & { isThere?: boolean } = {},
) {
  const context = aRestoreContext({ restoreUid: 'r-1', podVolumeBackups, ...parts });
  const action = podVolumeRestoreAction(isThere ? { image: async () => 'lateen:1' } : undefined);
  const { updatedItem } = await restoredBy(action, pod, context);
  const { initContainers = [] } = (updatedItem as unknown as Pod).spec;
  const { log, noted, kube } = context;
  return { action, context, updatedItem, initContainers, log, noted, kube, waiter: initContainers[0] as Container };
}

/** The pod in the API server, created from the result of the action. */
async function create(given: Awaited<ReturnType<typeof act>>, pod: Pod, change: Partial<Pod['spec']> = {}) {
  const { updatedItem, context, action } = given;
  const made = structuredClone(updatedItem) as unknown as Pod;
  const item = { ...made, metadata: { ...made.metadata, uid: 'pod-uid' }, spec: { ...made.spec, ...change } };
  const restored = { item: item as unknown as Unstructured, itemFromBackup: pod as unknown as Unstructured };
  return await action.itemCreated?.(restored, context, neverAborts);
}

const options = (data: Record<string, string>) =>
  aConfigMap({
    namespace: 'velero',
    name: 'options',
    labels: { [labels.pluginConfig]: '', 'velero.io/pod-volume-restore': 'RestoreItemAction' },
    data,
  });

describe('velero.io/pod-volume-restore', () => {
  it('puts restore-wait before the init containers of a pod whose volumes are restored', async () => {
    const { initContainers } = await act(aDatabase({ initContainers: [{ name: 'own' }] }), [
      stored('logs'),
      stored('data'),
    ]);
    expect(initContainers).toEqual([
      {
        name: 'restore-wait',
        image: 'lateen:1',
        command: ['data-mover', 'restore-wait'],
        args: ['r-1'],
        env: [
          { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
          { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        ],
        volumeMounts: [
          { name: 'data', mountPath: '/restores/data' },
          { name: 'logs', mountPath: '/restores/logs' },
          { name: 'restore-wait', mountPath: '/restore-wait', readOnly: true },
        ],
        resources: { requests: { cpu: '0', memory: '0' }, limits: { cpu: '100m', memory: '128Mi' } },
        securityContext: {
          runAsUser: 1000,
          runAsNonRoot: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          seccompProfile: { type: 'RuntimeDefault' },
        },
      },
      { name: 'own' },
    ]);
  });

  it.each<[string, readonly PodVolumeBackup[], Record<string, string>, string[]]>([
    ['no backups', [], {}, []],
    ['backups of another pod', [stored('data', { pod: 'db-1' })], {}, []],
    ['a failed backup', [stored('data', { phase: 'Failed' })], {}, []],
    ['a backup without data', [stored('data', { snapshotID: '' })], {}, []],
    ['a backup of a volume that the pod does not have', [stored('old')], {}, []],
    ['one of its volumes', [stored('data')], {}, ['data']],
    ['the annotation of a very old backup', [], { 'snapshot.velero.io/logs': 's' }, ['logs']],
    ['that annotation beside a backup', [stored('data')], { 'snapshot.velero.io/logs': 's' }, ['data']],
  ])('%s', async (_title, backups, annotations, volumes) => {
    const { initContainers } = await act(aDatabase({}, annotations), backups);
    expect(initContainers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name))).toEqual(
      volumes.length === 0 ? [] : [...volumes, 'restore-wait'],
    );
  });

  it('reports volumes without data, unless another pod that mounts the claim has restored it', async () => {
    const share = { persistentVolumeClaim: { claimName: 'share' } };
    const volumes = [{ name: 'data' }, { name: 'logs' }, { name: 'files', ...share }, { name: 'token', projected: {} }];
    const failed = { phase: 'Failed', snapshotID: '' };
    const ofShare = stored('files', { pod: 'db-1' });
    ofShare.metadata.annotations = { 'velero.io/pvc-name': 'share' };
    const { log, waiter } = await act(aDatabase({ volumes }), [
      stored('data', failed),
      stored('logs', { snapshotID: '' }),
      ofShare,
      stored('files', failed),
      stored('token'),
    ]);
    expect(waiter.volumeMounts?.map(({ name }) => name)).toEqual(['files', 'restore-wait']);
    expect(log.lines.map(({ level, message, fields }) => [level, message, fields.volume, fields.reason])).toEqual([
      [
        'warn',
        'the backup has no data of a pod volume; it is restored without data',
        'data',
        'PodVolumeBackup db-0-data is Failed',
      ],
    ]);
  });

  it('looks up its image once per restore, and not when the ConfigMap names one', async () => {
    const images: string[] = [];
    const action = podVolumeRestoreAction({
      image: async () => {
        images.push('asked');
        return 'lateen:1';
      },
    });
    const imageOf = async (objects: KubeObject[]) => {
      const context = aRestoreContext({ podVolumeBackups: [stored('data')], objects });
      for (const _ of [1, 2]) {
        const { updatedItem } = await restoredBy(action, aDatabase(), context);
        images.push(String((updatedItem as unknown as Pod).spec.initContainers?.[0]?.image));
      }
    };
    await imageOf([]);
    await imageOf([options({ image: 'mine:2' })]);
    expect(images).toEqual(['asked', 'lateen:1', 'lateen:1', 'mine:2', 'mine:2']);
  });

  it('reports an invalid timeout annotation once', async () => {
    const context = aRestoreContext({ podVolumeBackups: [stored('data')] });
    context.restore.metadata = {
      ...context.restore.metadata,
      annotations: { 'velero.io/pod-volume-timeout': 'soon' },
    } as never;
    const action = podVolumeRestoreAction({ image: async () => 'lateen:1' });
    for (const _ of [1, 2]) await restoredBy(action, aDatabase(), context);
    expect(context.log.messages('warn')).toEqual([
      'the timeout for pod volumes is not a positive duration; that of the server is used',
    ]);
  });

  it.each(['restore-wait', 'restic-wait'])('removes the %s of an earlier restore', async (old) => {
    const pod = aDatabase({ initContainers: [{ name: old, image: 'old' }, { name: 'own' }] });
    expect((await act(pod, [])).initContainers).toEqual([{ name: 'own' }]);
    const { initContainers } = await act(pod, [stored('data')]);
    expect(initContainers.map(({ name, image }) => [name, image])).toEqual([
      ['restore-wait', 'lateen:1'],
      ['own', undefined],
    ]);
  });

  it('removes the remaining volumes where Velero has removed only the container of an earlier restore', async () => {
    const volumes = [{ name: 'data' }, { name: 'restore-wait', downwardAPI: { items: [] } }];
    const left = { 'lateen.dev/start-without-data': 'true', 'lateen.dev/volumes-restored': 'r-0', own: 'kept' };
    const pod = aDatabase({ volumes }, left);
    for (const [backups, names] of [
      [[], ['data']],
      [[stored('data')], ['data', 'restore-wait']],
    ] as const) {
      const { spec, metadata } = (await act(pod, backups)).updatedItem as unknown as Pod;
      expect([spec.volumes?.map(({ name }) => name), metadata.annotations]).toEqual([names, { own: 'kept' }]);
    }
  });

  it('removes the restore-wait of an earlier restore behind a container that a webhook has inserted first', async () => {
    const pod = aDatabase({ initContainers: [{ name: 'mesh' }, { name: 'restore-wait', image: 'old' }] });
    const { initContainers } = await act(pod, [stored('data')]);
    expect(initContainers.map(({ name, image }) => [name, image])).toEqual([
      ['restore-wait', 'lateen:1'],
      ['mesh', undefined],
    ]);
  });

  it('reports an error for each volume and does not wait, when no node-agent runs', async () => {
    const { log, initContainers } = await act(aDatabase(), [stored('data'), stored('logs')], { isThere: false });
    expect(initContainers).toEqual([]);
    expect(log.lines.map(({ level, message, fields }) => [level, message, fields.volume])).toEqual([
      ['error', 'Error restoring pod volume: file system restore is switched off', 'data'],
      ['error', 'Error restoring pod volume: file system restore is switched off', 'logs'],
    ]);
  });
});

describe('PodVolumeRestores of a created pod', () => {
  const withClaim = () =>
    aDatabase({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } }, { name: 'logs' }] });

  it('are created for each volume that the pod waits for, with the data of the backup that the mover needs', async () => {
    const pod = withClaim();
    const seen = await act(pod, [stored('logs', { snapshotID: 'of-logs' }), stored('data')], {
      objects: [
        aPersistentVolumeClaim({
          namespace: 'shop',
          name: 'data-db-0',
          uid: 'claim-uid',
          labels: { 'velero.io/restore-name': 'back' },
        }),
      ],
      backup: { storageLocation: 'here' },
      restore: { uploaderConfig: { parallelFilesDownload: 3, directRestore: false } },
    });
    const operations = await create(seen, pod);
    const made = seen.kube.all(podVolumeRestoreType).sort((a, b) => (a.spec.volume < b.spec.volume ? -1 : 1));
    expect(made.map(({ metadata }) => metadata.labels?.[labels.asyncOperationId])).toEqual(operations);
    const [data, logs] = made;
    expect(data).toMatchObject({
      metadata: {
        namespace: 'velero',
        name: expect.stringMatching(/^back-/),
        labels: {
          'velero.io/restore-name': 'back',
          'velero.io/restore-uid': 'r-1',
          'velero.io/pod-uid': 'pod-uid',
          'velero.io/pvc-uid': 'claim-uid',
        },
        ownerReferences: [{ kind: 'Restore', name: 'back', uid: 'r-1', controller: true }],
      },
      spec: {
        pod: { kind: 'Pod', namespace: 'shop', name: 'db-0', uid: 'pod-uid' },
        volume: 'data',
        backupStorageLocation: 'here',
        repoIdentifier: '',
        uploaderType: 'kopia',
        snapshotID: 's',
        sourceNamespace: 'shop',
        uploaderSettings: { WriteSparseFiles: 'false', ParallelFilesDownload: '3', DirectRestore: 'false' },
        snapshotSize: 7,
      },
    });
    expect([logs?.spec.volume, logs?.spec.snapshotID, logs?.metadata.labels?.['velero.io/pvc-uid']]).toEqual([
      'logs',
      'of-logs',
      undefined,
    ]);
    expect([...seen.noted]).toEqual([
      ['shop/data-db-0', expect.objectContaining({ method: 'PodVolumeRestore', snapshotHandle: 's', sizeBytes: 7 })],
      ['', expect.objectContaining({ podVolume: { namespace: 'shop', pod: 'db-0', volume: 'logs' } })],
    ]);
  });

  it.each<[string, Partial<PodVolumeBackup['spec']>, object]>([
    ['kopia', { uploaderType: 'kopia' }, { uploaderType: 'kopia', repoIdentifier: '' }],
    [
      'restic',
      { uploaderType: 'restic', repoIdentifier: 's3:x/restic/shop' },
      { uploaderType: 'restic', repoIdentifier: 's3:x/restic/shop' },
    ],
    ['restic from a version without other engines', { repoIdentifier: 's3:x/restic/shop' }, { uploaderType: 'restic' }],
  ])('take the engine of the backup: %s', async (_title, spec, expected) => {
    const seen = await act(aDatabase(), [stored('data', { spec })]);
    await create(seen, aDatabase());
    expect(seen.kube.all(podVolumeRestoreType)[0]?.spec).toMatchObject(expected);
  });

  it('are found again by a restore that continues', async () => {
    const seen = await act(aDatabase(), [stored('data')]);
    const first = await create(seen, aDatabase());
    const again = await act(aDatabase(), [stored('data')], { cluster: seen.kube });
    expect(await create(again, aDatabase())).toEqual(first);
    expect(seen.kube.all(podVolumeRestoreType)).toHaveLength(1);
  });

  it('are not created for a pod that does not wait, because they would overwrite data in use', async () => {
    const seen = await act(aDatabase(), [stored('data')]);
    expect(await create(seen, aDatabase(), { initContainers: [] })).toEqual([]);
    expect(seen.kube.all(podVolumeRestoreType)).toEqual([]);
    expect(seen.log.messages('error')).toEqual(['Error restoring pod volume']);
  });
});

describe('a claim that several pods mount', () => {
  const replica = (name: string) =>
    aPod({
      namespace: 'shop',
      name,
      spec: { volumes: [{ name: 'files', persistentVolumeClaim: { claimName: 'share' } }] },
    });
  const backup = { ...stored('files', { pod: 'web-1' }) };
  backup.metadata.annotations = { 'velero.io/pvc-name': 'share' };

  it('is awaited by all of them, and restored once with the first created pod', async () => {
    const context = aRestoreContext({ restoreUid: 'r-1', podVolumeBackups: [backup] });
    const action = podVolumeRestoreAction({ image: async () => 'lateen:1' });
    const operations: unknown[] = [];
    for (const name of ['web-0', 'web-1', 'web-2']) {
      const pod = replica(name);
      const { updatedItem } = await restoredBy(action, pod, context);
      expect((updatedItem as unknown as Pod).spec.initContainers?.[0]?.volumeMounts?.[0]?.name).toBe('files');
      const item = { ...updatedItem, metadata: { ...updatedItem.metadata, uid: `uid-${name}` } } as Unstructured;
      const restored = { item, itemFromBackup: pod as unknown as Unstructured };
      operations.push(await action.itemCreated?.(restored, context, neverAborts));
    }
    expect(operations).toEqual([['pvr-r-1.uid-web-0.files'], [], []]);
    expect(context.kube.all(podVolumeRestoreType).map(({ spec }) => [spec.pod.name, spec.snapshotID])).toEqual([
      ['web-0', 's'],
    ]);
  });
});

describe('a claim that a pod mounts as two volumes', () => {
  it('is awaited by both, and is one operation, even for a restore that continues', async () => {
    const share = { persistentVolumeClaim: { claimName: 'share' } };
    const pod = aDatabase({
      volumes: [
        { name: 'files', ...share },
        { name: 'again', ...share },
      ],
    });
    const backup = stored('files');
    backup.metadata.annotations = { 'velero.io/pvc-name': 'share' };
    const seen = await act(pod, [backup]);
    expect(seen.waiter.volumeMounts?.map(({ name }) => name)).toEqual(['files', 'again', 'restore-wait']);
    const operations = ['pvr-r-1.pod-uid.files'];
    expect(await create(seen, pod)).toEqual(operations);
    expect(await create(await act(pod, [backup], { cluster: seen.kube }), pod)).toEqual(operations);
    expect(seen.kube.all(podVolumeRestoreType)).toHaveLength(1);
  });
});

describe('a volume whose claim existed before the restore', () => {
  const before = '2029-12-31T00:00:00Z';
  const pod = aDatabase({
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } }, { name: 'logs' }],
  });
  const backups = [stored('data'), stored('logs')];
  const claim = (parts: object = {}) => {
    const made = aPersistentVolumeClaim({ namespace: 'shop', name: 'data-db-0', uid: 'c', volumeName: 'pv' });
    return { ...made, metadata: { ...made.metadata, creationTimestamp: before, ...parts } };
  };
  const volume = aPersistentVolume({ name: 'pv', claim: { namespace: 'shop', name: 'data-db-0', uid: 'c' } });
  /** Snapshots of old data have their own tests. */
  const annotations = { 'lateen.dev/keep-old-data': 'false' };
  const metadata = {
    name: 'back',
    namespace: 'velero',
    uid: 'r-1',
    creationTimestamp: '2030-01-01T00:00:00Z',
    annotations,
  };

  async function restoredInto(objects: readonly object[], restore: object = {}) {
    const context = aRestoreContext({
      podVolumeBackups: backups,
      objects: objects as KubeObject[],
      archive: [claim()],
      restore,
    });
    const given = { ...context, restore: { ...context.restore, metadata } };
    const action = podVolumeRestoreAction({ image: async () => 'lateen:1' });
    const { updatedItem } = await restoredBy(action, pod, given);
    const { initContainers = [] } = (updatedItem as unknown as Pod).spec;
    await create({ action, context: given, updatedItem } as unknown as Awaited<ReturnType<typeof act>>, pod);
    return {
      awaited: initContainers[0]?.volumeMounts?.map(({ name }) => name),
      made: context.kube
        .all(podVolumeRestoreType)
        .map(({ spec }) => [spec.volume, spec.restoreType, spec.uploaderSettings]),
      lines: context.log.lines.map(({ level, message }) => `${level}: ${message}`),
      log: context.log,
    };
  }
  const settings = { WriteSparseFiles: 'false' };

  it('keeps its data, with a warning, and the pod waits for the others', async () => {
    const { awaited, made, lines } = await restoredInto([claim(), volume]);
    expect(awaited).toEqual(['logs', 'restore-wait']);
    expect(made).toEqual([['logs', undefined, settings]]);
    expect(lines).toEqual([
      'warn: the PersistentVolumeClaim exists already: it keeps its data, that of the backup is not restored into it',
    ]);
  });

  it.each([
    [
      'created by this restore',
      { creationTimestamp: '2030-01-01T00:00:00Z', labels: { 'velero.io/restore-name': 'back' } },
    ],
    ['being deleted', { deletionTimestamp: before }],
  ])('does not count as existing when it is %s', async (_title, parts) => {
    const { made } = await restoredInto([claim(parts), volume]);
    expect(made.map(([name, restoreType]) => [name, restoreType]).sort()).toEqual([
      ['data', undefined],
      ['logs', undefined],
    ]);
  });

  it('counts as existing even with the label of the restore', async () => {
    const { made } = await restoredInto([claim({ labels: { 'velero.io/restore-name': 'back' } }), volume]);
    expect(made.map(([name]) => name)).toEqual(['logs']);
  });

  it.each(['full', 'incremental'])('is written when the restore says so: %s', async (policy) => {
    const restore = { existingVolumeDataPolicy: policy, uploaderConfig: { deleteExtraFiles: true } };
    const { made } = await restoredInto([claim(), volume], restore);
    expect(made.sort()).toEqual([
      ['data', policy, { ...settings, DeleteExtraFiles: 'true' }],
      ['logs', undefined, settings],
    ]);
  });

  it('is not written while a pod uses it, which is reported', async () => {
    const user = aPod({
      namespace: 'shop',
      name: 'other',
      phase: 'Running',
      spec: { volumes: pod.spec.volumes ?? [] },
    });
    const { made, awaited, log } = await restoredInto([claim(), volume, user], { existingVolumeDataPolicy: 'full' });
    expect([made.map(([name]) => name), awaited]).toEqual([['logs'], ['logs', 'restore-wait']]);
    expect(describeError(log.lines[0]?.fields.err)).toContain(
      'no data is restored into PVC shop/data-db-0: pod other uses it',
    );
  });
});

describe('the options of restore-wait', () => {
  it.each<[string, Record<string, string>, object]>([
    ['an image', { image: 'mine:2' }, { image: 'mine:2' }],
    ['a command', { command: '/velero-restore-helper' }, { command: ['/velero-restore-helper'], args: ['r-1'] }],
    [
      'amounts',
      { cpuRequest: '10m', memRequest: '64Mi', cpuLimit: '1', memLimit: '1Gi' },
      { resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { cpu: '1', memory: '1Gi' } } },
    ],
    ['a user', { secCtxRunAsUser: '1001' }, { securityContext: { runAsUser: 1001 } }],
    [
      'user, group and privileges',
      { secCtxRunAsUser: '0', secCtxRunAsGroup: '0', secCtxAllowPrivilegeEscalation: 'false' },
      { securityContext: { runAsUser: 0, runAsGroup: 0, allowPrivilegeEscalation: false } },
    ],
    [
      'a whole security context in YAML, which takes precedence',
      { secCtx: 'capabilities:\n  drop:\n  - ALL\nrunAsUser: 5\n', secCtxRunAsUser: '1001' },
      { securityContext: { capabilities: { drop: ['ALL'] }, runAsUser: 5 } },
    ],
    ['the same in JSON', { secCtx: '{"runAsUser":5}' }, { securityContext: { runAsUser: 5 } }],
  ])('%s', async (_title, data, expected) => {
    const { waiter, log } = await act(aDatabase(), [stored('data')], { objects: [options(data)] });
    expect(waiter).toMatchObject(expected);
    if ('securityContext' in expected) expect(waiter.securityContext).toEqual(expected.securityContext);
    expect(log.lines).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['an invalid amount', { cpuLimit: 'much' }],
    ['an invalid user', { secCtxRunAsUser: 'root' }],
    ['an invalid flag', { secCtxAllowPrivilegeEscalation: 'maybe' }],
    ['invalid YAML', { secCtx: '{' }],
    ['YAML that is not a map', { secCtx: '- a' }],
  ])('%s is reported, and the default is used', async (_title, data) => {
    const { waiter, log } = await act(aDatabase(), [stored('data')], { objects: [options(data)] });
    expect(log.messages('warn')).toHaveLength(1);
    expect(waiter.resources?.limits).toEqual({ cpu: '100m', memory: '128Mi' });
    expect(waiter.securityContext).toMatchObject({ runAsUser: 1000 });
  });

  it.each<[string, readonly Record<string, string>[], Record<string, string>]>([
    [
      'no more than its largest container requests',
      [{ cpu: '20m' }, { cpu: '0.05', memory: '64Mi' }],
      { cpu: '0.05', memory: '64Mi' },
    ],
    ['the default amounts if it requests more', [{ cpu: '2', memory: '1Gi' }], { cpu: '100m', memory: '128Mi' }],
    ['nothing if it requests nothing', [{}], { cpu: '0', memory: '0' }],
  ])('request so little that the pod still fits its node: %s', async (_title, requests, expected) => {
    const containers = requests.map((each, at) => ({ name: `c${at}`, resources: { requests: each } }));
    const { waiter } = await act(aDatabase({ containers }), [stored('data')]);
    expect(waiter.resources?.requests).toEqual(expected);
  });

  it.each<[string, Partial<Pod['spec']>, object]>([
    ['as the first container', { containers: [{ name: 'a', securityContext: { runAsUser: 7 } }] }, { runAsUser: 7 }],
    [
      "as the pod's security context says",
      { securityContext: { runAsUser: 9, runAsNonRoot: true } },
      { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
    ],
    [
      'as root if the pod runs as root',
      { securityContext: { runAsUser: 0 } },
      { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
    ],
  ])('without any, it runs %s', async (_title, spec, expected) => {
    expect((await act(aDatabase(spec), [stored('data')])).waiter.securityContext).toEqual(expected);
  });
});
