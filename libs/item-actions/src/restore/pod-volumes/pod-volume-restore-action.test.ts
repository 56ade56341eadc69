import { type Container, labels, type Pod, type PodVolumeBackup, type Unstructured } from '@lateen/api-types';
import { aConfigMap, aPod, FakeClock, fakeCluster, recordingLog } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { RestoreActionContext } from '../../contract/restore-item-action.ts';
import { podVolumeRestoreAction } from './pod-volume-restore-action.ts';

const neverAborts = new AbortController().signal;

const stored = (volume: string, parts: { pod?: string; phase?: string; snapshotID?: string; backup?: string } = {}) => {
  const { pod = 'db-0', phase = 'Completed', snapshotID = 's', backup = 'nightly' } = parts;
  const name = [pod, volume, backup].join('-');
  return {
    apiVersion: 'velero.io/v1',
    kind: 'PodVolumeBackup',
    metadata: { namespace: 'velero', name, labels: { [labels.backupName]: backup } },
    spec: {
      node: 'n',
      volume,
      pod: { kind: 'Pod', namespace: 'shop', name: pod },
      backupStorageLocation: 'd',
      repoIdentifier: '',
    },
    status: { phase, snapshotID },
  } as PodVolumeBackup;
};

const aDatabase = (spec: Partial<Pod['spec']> = {}, annotations: Record<string, string> = {}): Pod =>
  aPod({
    namespace: 'shop',
    name: 'db-0',
    annotations,
    spec: { volumes: [{ name: 'data' }, { name: 'logs' }, { name: 'tmp', emptyDir: {} }], ...spec },
  });

async function act(pod: Pod, objects: readonly object[], { isThere = true } = {}) {
  const log = recordingLog();
  const kube = fakeCluster({ clock: new FakeClock(), objects: objects as Unstructured[] });
  const context = {
    restore: { metadata: { name: 'back', uid: 'r-1' }, spec: {} },
    backup: { metadata: { name: 'nightly' } },
    kube,
    log,
    veleroNamespace: 'velero',
  } as unknown as RestoreActionContext;
  const action = podVolumeRestoreAction(isThere ? { image: async () => 'lateen:1' } : undefined);
  const item = pod as unknown as Unstructured;
  const { updatedItem } = await action.execute({ item, itemFromBackup: item }, context, neverAborts);
  const { initContainers = [] } = (updatedItem as unknown as Pod).spec;
  return { updatedItem, initContainers, log, waiter: initContainers[0] as Container };
}

const options = (data: Record<string, string>) =>
  aConfigMap({
    namespace: 'velero',
    name: 'options',
    labels: { [labels.pluginConfig]: '', 'velero.io/pod-volume-restore': 'RestoreItemAction' },
    data,
  });

describe('velero.io/pod-volume-restore', () => {
  it('puts restore-wait before the init containers of a pod whose volumes are to come back', async () => {
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
        ],
        resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '100m', memory: '128Mi' } },
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
    ['nothing was stored', [], {}, []],
    ['those of another pod', [stored('data', { pod: 'db-1' })], {}, []],
    ['those of another backup', [stored('data', { backup: 'weekly' })], {}, []],
    ['one that failed', [stored('data', { phase: 'Failed' })], {}, []],
    ['one without data', [stored('data', { snapshotID: '' })], {}, []],
    ['a volume that the pod does not have', [stored('old')], {}, []],
    ['one of its volumes', [stored('data')], {}, ['data']],
    ['the annotation of a very old backup', [], { 'snapshot.velero.io/logs': 's' }, ['logs']],
    ['that annotation beside what is stored', [stored('data')], { 'snapshot.velero.io/logs': 's' }, ['data']],
  ])('%s', async (_title, backups, annotations, volumes) => {
    const { initContainers } = await act(aDatabase({}, annotations), backups);
    expect(initContainers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name))).toEqual(volumes);
  });

  it.each(['restore-wait', 'restic-wait'])('takes the %s of an earlier restore away', async (old) => {
    const pod = aDatabase({ initContainers: [{ name: old, image: 'old' }, { name: 'own' }] });
    expect((await act(pod, [])).initContainers).toEqual([{ name: 'own' }]);
    const { initContainers } = await act(pod, [stored('data')]);
    expect(initContainers.map(({ name, image }) => [name, image])).toEqual([
      ['restore-wait', 'lateen:1'],
      ['own', undefined],
    ]);
  });

  it('is an error for each volume, and no wait, as long as nobody restores volumes through the file system', async () => {
    const { log, initContainers } = await act(aDatabase(), [stored('data'), stored('logs')], { isThere: false });
    expect(initContainers).toEqual([]);
    expect(log.lines.map(({ level, message, fields }) => [level, message, fields.volume])).toEqual([
      ['error', 'Error restoring pod volume: file system restore is not supported yet', 'data'],
      ['error', 'Error restoring pod volume: file system restore is not supported yet', 'logs'],
    ]);
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
      'a whole security context in YAML, before the others',
      { secCtx: 'capabilities:\n  drop:\n  - ALL\nrunAsUser: 5\n', secCtxRunAsUser: '1001' },
      { securityContext: { capabilities: { drop: ['ALL'] }, runAsUser: 5 } },
    ],
    ['the same in JSON', { secCtx: '{"runAsUser":5}' }, { securityContext: { runAsUser: 5 } }],
  ])('%s', async (_title, data, expected) => {
    const { waiter, log } = await act(aDatabase(), [stored('data'), options(data)]);
    expect(waiter).toMatchObject(expected);
    if ('securityContext' in expected) expect(waiter.securityContext).toEqual(expected.securityContext);
    expect(log.lines).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['an amount that is none', { cpuLimit: 'much' }],
    ['a user that is none', { secCtxRunAsUser: 'root' }],
    ['a flag that is none', { secCtxAllowPrivilegeEscalation: 'maybe' }],
    ['YAML that is none', { secCtx: '{' }],
    ['YAML that is no map', { secCtx: '- a' }],
  ])('%s is told, and the default is used', async (_title, data) => {
    const { waiter, log } = await act(aDatabase(), [stored('data'), options(data)]);
    expect(log.messages('warn')).toHaveLength(1);
    expect(waiter.resources?.limits).toEqual({ cpu: '100m', memory: '128Mi' });
    expect(waiter.securityContext).toMatchObject({ runAsUser: 1000 });
  });

  it.each<[string, Partial<Pod['spec']>, object]>([
    ['as the first container', { containers: [{ name: 'a', securityContext: { runAsUser: 7 } }] }, { runAsUser: 7 }],
    [
      'as the pod says for all',
      { securityContext: { runAsUser: 9, runAsNonRoot: true } },
      { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
    ],
    [
      'as root where the pod is root',
      { securityContext: { runAsUser: 0 } },
      { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
    ],
  ])('without any, it runs %s', async (_title, spec, expected) => {
    expect((await act(aDatabase(spec), [stored('data')])).waiter.securityContext).toEqual(expected);
  });
});
