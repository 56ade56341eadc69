import { priorityClassType, storageClassType } from '@lateen/api-types';
import type { KubeObject } from '@lateen/kube';
import { aNode, aStorageClass, fakeCluster } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { readAgentSettings } from './read-agent-settings.ts';

const signal = AbortSignal.any([]);
const configMap = (name: string, key: string, settings: unknown): KubeObject & { data: Record<string, string> } => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'velero', name },
  data: { [key]: JSON.stringify(settings) },
});
const priorityClass = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'high' },
  value: 9,
};
const cluster = (settings: unknown, ...objects: readonly KubeObject[]) =>
  fakeCluster({
    objects: [aNode({ name: 'n', labels: { zone: 'a' } }), configMap('agents', 'config', settings), ...objects],
  });
const podVolume = { access: 'host-path', kubeletDirectory: '/srv/kubelet' } as const;
const source = { namespace: 'velero', node: 'n', configMap: 'agents', repositoryConfigMap: undefined, podVolume };

describe('the settings of a node', () => {
  it('are the defaults without a config map, and nothing is read', async () => {
    const kube = fakeCluster();
    expect(await readAgentSettings(kube, { ...source, configMap: undefined }, signal)).toEqual({
      concurrency: undefined,
      prepareQueueLength: 0,
      exposure: { podVolume },
      remarks: [],
    });
    expect(kube.calls).toEqual([]);
  });
  it('are those for its labels', async () => {
    const perNodeConfig = [{ nodeSelector: { matchLabels: { zone: 'a' } }, number: 7 }];
    const kube = cluster({ loadConcurrency: { perNodeConfig, prepareQueueLength: 3 } });
    expect(await readAgentSettings(kube, source, signal)).toMatchObject({ concurrency: 7, prepareQueueLength: 3 });
  });
  it.each([
    ['--node-agent-configmap', { ...source, configMap: 'none' }],
    ['--backup-repository-configmap', { ...source, repositoryConfigMap: 'none' }],
  ])('a config map that %s names must exist', async (flag, wrong) => {
    await expect(readAgentSettings(cluster({}), wrong, signal)).rejects.toMatchObject({
      code: 'AGENT_SETTINGS',
      message: 'ConfigMap velero/none does not exist',
      nextStep: expect.stringContaining(flag),
    });
  });
});

describe('the access to volumes of running pods', () => {
  it('is set by the flags, unless the config map sets it', async () => {
    const of = async (settings: unknown) => (await readAgentSettings(cluster(settings), source, signal)).exposure;
    expect((await of({})).podVolume).toEqual(podVolume);
    const asked = { podVolume: { access: 'claim' } };
    expect((await of(asked)).podVolume).toEqual({ access: 'claim', kubeletDirectory: '/srv/kubelet' });
  });
});

describe('a priority class', () => {
  const settings = { priorityClassName: 'high' };
  it('that exists is used', async () => {
    const { exposure, remarks } = await readAgentSettings(cluster(settings, priorityClass), source, signal);
    expect(exposure.priorityClassName).toBe('high');
    expect(remarks).toEqual([]);
  });
  it('that is missing is ignored with a warning', async () => {
    const { exposure, remarks } = await readAgentSettings(cluster(settings), source, signal);
    expect(exposure.priorityClassName).toBeUndefined();
    expect(remarks).toEqual(['"priorityClassName" is ignored: PriorityClass "high" does not exist']);
  });
  it('that cannot be read is ignored with the reason', async () => {
    const kube = cluster(settings, priorityClass).failOnce('get', priorityClassType, 'KUBE_FORBIDDEN');
    const { exposure, remarks } = await readAgentSettings(kube, source, signal);
    expect(exposure.priorityClassName).toBeUndefined();
    expect(remarks).toEqual([expect.stringContaining('PriorityClass "high" cannot be looked up: ')]);
  });
});

describe('a cache volume\u2019s class', () => {
  const settings = { cachePVC: { storageClass: 'cache', residentThresholdInMB: 10 } };
  const deletes = aStorageClass({ name: 'cache', reclaimPolicy: 'Delete' });
  it('that deletes its volumes is used, with the limit of the repository config map', async () => {
    const repository = configMap('repositories', 'kopia', { cacheLimitMB: 2048 });
    const kube = cluster(settings, deletes, repository);
    const { exposure } = await readAgentSettings(kube, { ...source, repositoryConfigMap: 'repositories' }, signal);
    const cachePVC = { storageClass: 'cache', residentThresholdInMB: 10, waitsForConsumer: false, limitMB: 2048 };
    expect(exposure.cachePVC).toEqual(cachePVC);
  });
  it('is recognized as waiting for its consumer; without a repository config map the default limit applies', async () => {
    const waits = aStorageClass({ name: 'cache', reclaimPolicy: 'Delete', volumeBindingMode: 'WaitForFirstConsumer' });
    const { exposure } = await readAgentSettings(cluster(settings, waits), source, signal);
    expect(exposure.cachePVC).toMatchObject({ waitsForConsumer: true, limitMB: 5000 });
  });
  it.each([
    ['nothing for kopia', configMap('repositories', 'restic', {}), 0],
    ['no limit', configMap('repositories', 'kopia', {}), 0],
    ['no JSON object', configMap('repositories', 'kopia', 5), 1],
    ['no positive number', configMap('repositories', 'kopia', { cacheLimitMB: '2048' }), 1],
  ])('with a repository config map that has %s the default limit applies', async (_, repository, remarked) => {
    const kube = cluster(settings, deletes, repository);
    const read = await readAgentSettings(kube, { ...source, repositoryConfigMap: 'repositories' }, signal);
    expect(read.exposure.cachePVC?.limitMB).toBe(5000);
    expect(read.remarks).toHaveLength(remarked);
  });
  it.each([
    ['is missing', [], 'StorageClass "cache" does not exist'],
    ['keeps its volumes', [aStorageClass({ name: 'cache', reclaimPolicy: 'Retain' })], 'reclaim policy Retain'],
  ])('that %s is ignored with a warning', async (_, objects, remark) => {
    const { exposure, remarks } = await readAgentSettings(cluster(settings, ...objects), source, signal);
    expect(exposure.cachePVC).toBeUndefined();
    expect(remarks).toEqual([expect.stringContaining(remark)]);
  });
  it('is not read when none is configured', async () => {
    const kube = cluster({});
    await readAgentSettings(kube, source, signal);
    expect(kube.calls.filter((call) => call.type === storageClassType)).toEqual([]);
  });
});
