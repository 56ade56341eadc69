import { aDaemonSet } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { ExposureSettings } from '../settings/exposure-settings.ts';
import { loadAffinityFor } from '../settings/load-affinity.ts';
import { backupPod } from './backup-pod.ts';
import { backupVolumeClaim } from './backup-volume.ts';
import { cacheVolumeClaim, cacheVolumeGiB } from './cache-volume.ts';
import { inheritedPodConfig } from './inherited-pod-config.ts';
import { notOn, requiredInEach } from './placement.ts';
import { restorePod } from './restore-pod.ts';

/*
 * Golden files: how each setting of the node-agent ConfigMap changes a hosting pod and its claims, and all settings
 * together. Rewrite them with `vitest run -u` and review the difference like code.
 */
const golden = (name: string) => `testdata/settings/${name}.json`;
const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const owner = (kind: string, name: string, uid: string) => ({
  apiVersion: 'velero.io/v2alpha1',
  kind,
  namespace: 'velero',
  name,
  uid,
});
const upload = owner('DataUpload', 'backup-1', 'u-1');
const download = owner('DataDownload', 'restore-1', 'd-1');
const inherited = inheritedPodConfig(
  aDaemonSet({
    spec: {
      template: {
        metadata: {
          labels: { 'azure.workload.identity/use': 'true' },
          annotations: { 'iam.amazonaws.com/role': 'mover' },
        },
        spec: { containers: [{ name: 'node-agent', image: 'localhost/lateen:dev' }] },
      },
    },
  }),
);
const plain = { storageClass: 'fast', readOnly: false, spcNoRelabeling: false, annotations: {} };
const resources = {
  requests: { cpu: '500m', memory: '256Mi' },
  limits: { cpu: '2', memory: '512Mi', 'ephemeral-storage': '2Gi' },
};
const settings: ExposureSettings = {
  priorityClassName: 'backups',
  podLabels: { team: 'storage', 'velero.io/data-upload': 'ours wins' },
  podAnnotations: { 'sidecar.istio.io/inject': 'false' },
  loadAffinity: [{ nodeSelector: { matchLabels: { pool: 'backup' } } }],
};
const onNode1 = [{ matchExpressions: [{ key: 'topology', operator: 'In' as const, values: ['a'] }] }];

const backup = (more: Partial<Parameters<typeof backupPod>[0]>) =>
  backupPod({
    owner: upload,
    inherited,
    volumeMode: 'Filesystem',
    nodeTerms: [],
    operationTimeout: '10m0s',
    plan: plain,
    settings: {},
    ...more,
  });
const restore = (more: Partial<Parameters<typeof restorePod>[0]>) =>
  restorePod({
    owner: download,
    inherited,
    volumeMode: 'Filesystem',
    selectedNode: undefined,
    nodeTerms: [],
    operationTimeout: '10m0s',
    cacheVolume: false,
    settings: {},
    ...more,
  });

describe('the effect of each setting on a pod', () => {
  it.each([
    ['podResources', backup({ resources })],
    ['priorityClassName', backup({ settings: { priorityClassName: 'backups' } })],
    ['podLabels', backup({ settings: { podLabels: settings.podLabels ?? {} } })],
    ['podAnnotations', backup({ settings: { podAnnotations: settings.podAnnotations ?? {} } })],
    ['loadAffinity', backup({ nodeTerms: requiredInEach([], loadAffinityFor(settings.loadAffinity, 'fast')) })],
    ['backupPVC-readOnly', backup({ plan: { ...plain, readOnly: true } })],
    ['backupPVC-readOnly-block', backup({ volumeMode: 'Block', plan: { ...plain, readOnly: true } })],
    ['backupPVC-spcNoRelabeling', backup({ plan: { ...plain, readOnly: true, spcNoRelabeling: true } })],
    ['cachePVC', restore({ cacheVolume: true })],
  ])('%s', async (name, pod) => {
    await expect(text(pod)).toMatchFileSnapshot(golden(name));
  });
  it('all settings together, for an upload', async () => {
    const plan = { storageClass: 'copy', readOnly: true, spcNoRelabeling: true, annotations: { note: 'x' } };
    const requirements = [...loadAffinityFor(settings.loadAffinity, 'copy'), ...notOn(['node-3', 'node-4'])];
    const made = {
      claim: backupVolumeClaim({ owner: upload, plan, volumeMode: 'Filesystem', size: '1Gi', selectedNode: 'node-1' }),
      pod: backup({ plan, resources, settings, nodeTerms: requiredInEach(onNode1, requirements) }),
    };
    await expect(text(made)).toMatchFileSnapshot(golden('all-upload'));
  });
  it('all settings together, for a download', async () => {
    const made = {
      cacheClaim: cacheVolumeClaim({ owner: download, storageClass: 'cache', sizeGiB: 6, selectedNode: undefined }),
      pod: restore({
        cacheVolume: true,
        resources,
        settings,
        nodeTerms: requiredInEach([], loadAffinityFor(settings.loadAffinity, 'fast')),
      }),
    };
    await expect(text(made)).toMatchFileSnapshot(golden('all-download'));
  });
  it('a selected node is the only node constraint, also for the cache', () => {
    const nodeTerms = requiredInEach([], loadAffinityFor(settings.loadAffinity, 'fast'));
    const pod = restore({ selectedNode: 'node-2', nodeTerms });
    expect(pod.spec.affinity).toBeUndefined();
    expect(pod.spec.nodeSelector).toEqual({ 'kubernetes.io/hostname': 'node-2' });
    const claim = cacheVolumeClaim({ owner: download, storageClass: 'cache', sizeGiB: 1, selectedNode: 'node-2' });
    expect(claim.metadata.annotations).toEqual({ 'volume.kubernetes.io/selected-node': 'node-2' });
  });
  it('labels that select hosting pods cannot be overridden', () => {
    const pod = backup({
      settings: { podLabels: { 'velero.io/exposer-pod-group': 'x', 'velero.io/data-upload': 'y' } },
    });
    expect(pod.metadata.labels).toEqual({
      'velero.io/data-upload': 'backup-1',
      'velero.io/exposer-pod-group': 'snapshot-exposer',
    });
  });
  it('empty labels and annotations disable inheritance, too', () => {
    const { metadata } = backup({ settings: { podLabels: {}, podAnnotations: {} } });
    expect(metadata.labels).not.toHaveProperty(['azure.workload.identity/use']);
    expect(metadata.annotations).toBeUndefined();
  });
  it('the mover gets the number of data paths on its node only when it is configured', () => {
    const variables = (settings: ExposureSettings) =>
      backup({ settings }).spec.containers[0]?.env?.filter(({ name }) => name === 'LATEEN_NODE_SLOTS');
    expect(variables({ slots: 6 })).toEqual([{ name: 'LATEEN_NODE_SLOTS', value: '6' }]);
    expect(variables({ slots: undefined })).toEqual([]);
  });
  it('the mover gets a limit only when it is set', () => {
    const names = backup({ resources: { requests: { cpu: '1' }, limits: { memory: '1Gi' } } })
      .spec.containers[0]?.env?.map(({ name }) => name)
      .filter((name) => name.startsWith('LATEEN_LIMIT'));
    expect(names).toEqual(['LATEEN_LIMIT_MEMORY_BYTES']);
  });
});

describe('the size of a cache volume', () => {
  const cache = { storageClass: 'cache', waitsForConsumer: false, residentThresholdInMB: 1024, limitMB: 5000 };
  it.each([
    ['no cache setting', undefined, 2 ** 40, 0],
    ['less data than the threshold', cache, 2 ** 30 - 1, 0],
    ['as much data as the threshold', cache, 2 ** 30, 6],
    ['data size of zero', cache, 0, 6],
    ['no data size', cache, undefined, 6],
    ['no threshold', { ...cache, residentThresholdInMB: 0 }, 1, 6],
    ['a limit that is a whole number', { ...cache, limitMB: 2560 }, undefined, 3],
    ['a limit just above a whole number', { ...cache, limitMB: 2561 }, undefined, 4],
  ])('%s', (_, given, dataBytes, sizeGiB) => {
    expect(cacheVolumeGiB(given, dataBytes)).toBe(sizeGiB);
  });
});
