import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  secretType,
} from '@lateen/api-types';
import { type KubeObject, keyOf } from '@lateen/kube';
import {
  aDaemonSet,
  aDataDownload,
  aPersistentVolume,
  aPersistentVolumeClaim,
  aSecret,
  aStorageClass,
  FakeClock,
  fakeCluster,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { diagnoseExposure } from '../diagnose/diagnose-exposure.ts';
import type { ExposureSettings } from '../settings/exposure-settings.ts';
import { cleanUpRestore } from './clean-up-restore.ts';
import { exposeRestore } from './expose-restore.ts';

const owner = { apiVersion: 'velero.io/v2alpha1', kind: 'DataDownload', namespace: 'velero', name: 'dl', uid: 'd-1' };
const key = { namespace: 'velero', name: 'dl' };
const cacheKey = { namespace: 'velero', name: 'dl-cache' };
/** The owner must exist: otherwise the objects that it owns would be garbage collected. */
const download = aDataDownload({ namespace: 'velero', name: 'dl', uid: 'd-1' });
const signal = AbortSignal.any([]);
const cache = { storageClass: 'cache', waitsForConsumer: false, residentThresholdInMB: 100, limitMB: 5000 };
const waiting = aStorageClass({ name: 'fast', volumeBindingMode: 'WaitForFirstConsumer' });

const anyParam = {
  targetNamespace: 'app',
  targetClaim: 'data',
  nodeOS: undefined,
  operationTimeout: '10m0s',
  operationTimeoutMs: 600_000,
};

interface Given {
  settings?: ExposureSettings;
  storageClass?: KubeObject;
  annotations?: Record<string, string>;
  dataBytes?: number;
  /** Claims that the storage binds only after the pod is scheduled. */
  unbound?: readonly string[];
  objects?: readonly KubeObject[];
}

async function started(given: Given) {
  const clock = new FakeClock();
  const target = aPersistentVolumeClaim({
    uid: 'target',
    annotations: given.annotations ?? {},
    spec: { storageClassName: 'fast' },
  });
  const objects = [download, aDaemonSet(), target, given.storageClass ?? aStorageClass({ name: 'fast' })];
  objects.push(...(given.objects ?? []));
  const cluster = fakeCluster({ clock, objects });
  cluster.intercept(async (call, next) => {
    const answer = await next();
    const name = (answer as KubeObject | undefined)?.metadata?.name ?? '';
    if (call.verb === 'create' && call.type.kind === 'PersistentVolumeClaim' && !given.unbound?.includes(name))
      cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, keyOf(answer as KubeObject), (claim) => {
        claim.status = { phase: 'Bound' };
      });
    return answer;
  });
  const { settings = {}, dataBytes } = given;
  const ports = { kube: cluster, clock, random: seededRandom(1), log: recordingLog(), settings };
  let done = false;
  const param = { ...anyParam, dataBytes };
  const stop = new AbortController();
  const ended = exposeRestore(ports, owner, param, { signal: stop.signal }).then(() => {
    done = true;
  });
  await cluster.settle();
  const pod = (): Pod | undefined => cluster.find(podType, key);
  return { cluster, ports, pod, isDone: () => done, stop: () => stop.abort(new Error('enough')), ended };
}

describe('a volume to restore into', () => {
  it('without settings: no cache volume, best effort, any node', async () => {
    const { cluster, pod, ended } = await started({ dataBytes: 2 ** 40 });
    await ended;
    expect(cluster.find(persistentVolumeClaimType, cacheKey)).toBeUndefined();
    expect(pod()?.spec.containers[0]?.args?.join(' ')).not.toContain('cache');
    expect(pod()?.spec.containers[0]?.resources).toBeUndefined();
  });
  it('resources and node affinity come from the target claim and its class', async () => {
    const settings: ExposureSettings = {
      podResources: { limits: { cpu: '1' } },
      loadAffinity: [{ nodeSelector: { matchLabels: { pool: 'b' } }, storageClass: 'fast' }],
    };
    const annotations = { 'lateen.dev/pod-resources': '{"cpuLimit":"2","memoryLimit":"1Gi"}' };
    const { pod, ended } = await started({ settings, annotations });
    await ended;
    expect(pod()?.spec.containers[0]?.resources).toEqual({ limits: { cpu: '2', memory: '1Gi' } });
    expect(JSON.stringify(pod()?.spec.affinity)).toContain('"pool"');
  });
});

describe('Secrets and ConfigMaps that a driver needs in the namespace of a claim', () => {
  const settings: ExposureSettings = { restorePVC: { secretNames: ['kms-token'] } };
  const copyKey = { namespace: 'velero', name: 'kms-token' };
  it('are copied before the claim is created, and deleted with it', async () => {
    const { cluster, ports, ended } = await started({
      settings,
      objects: [aSecret({ namespace: 'app', name: 'kms-token' })],
    });
    await ended;
    const made = cluster.calls.filter(({ verb }) => verb === 'create').map(({ type }) => type.kind);
    expect(made).toEqual(['Pod', 'Secret', 'PersistentVolumeClaim']);
    expect(cluster.find(secretType, copyKey)).toBeDefined();
    await cleanUpRestore(ports, owner, anyParam, { signal });
    expect(cluster.find(secretType, copyKey)).toBeUndefined();
  });
});

describe('a target that does not exist', () => {
  const target = aPersistentVolumeClaim({ uid: 'target', spec: { storageClassName: 'fast' } });
  const begin = (targetComesLater: boolean) => {
    const cluster = fakeCluster({
      clock: new FakeClock(),
      objects: [download, aDaemonSet(), aStorageClass({ name: 'fast' })],
    });
    const ports = { kube: cluster, clock: new FakeClock(), random: seededRandom(1), log: recordingLog() };
    const stop = new AbortController();
    const ended = exposeRestore(ports, owner, { ...anyParam, targetComesLater }, { signal: stop.signal });
    ended.catch(() => {});
    return { cluster, ended, stop };
  };

  it('is an error', async () => {
    await expect(begin(false).ended).rejects.toMatchObject({ code: 'EXPOSE_NO_TARGET_CLAIM' });
  });

  it('is awaited when a restore is going to create it, and meanwhile reported as missing', async () => {
    const { cluster, ended, stop } = begin(true);
    await cluster.settle();
    expect(cluster.find(podType, key)).toBeUndefined();
    const asked = { signal, target: { namespace: 'app', name: 'data' } };
    expect(await diagnoseExposure(cluster, owner, { ...asked, refused: undefined })).toContain(
      'Target PVC app/data does not exist',
    );
    cluster.put(target);
    await cluster.settle();
    expect(cluster.find(podType, key)).toBeDefined();
    stop.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
  });
});

describe('a volume of a class with WaitForFirstConsumer', () => {
  it('is not restored before the consumer is scheduled', async () => {
    const { pod, isDone, stop, ended } = await started({ storageClass: waiting });
    expect(pod()).toBeUndefined();
    expect(isDone()).toBe(false);
    stop();
    await expect(ended).rejects.toThrow('enough');
  });
  it('is restored on any node with ignoreDelayBinding, ignoring the selected node', async () => {
    const { cluster, pod, ended } = await started({
      storageClass: waiting,
      settings: { restorePVC: { ignoreDelayBinding: true } },
      annotations: { 'volume.kubernetes.io/selected-node': 'node-1' },
      unbound: ['dl'],
    });
    // The claim waits for the pod, so the scheduling gate was removed without waiting for the claim.
    await ended;
    expect(pod()?.spec.schedulingGates ?? []).toEqual([]);
    expect(pod()?.spec.nodeSelector).toBeUndefined();
    expect(cluster.find(persistentVolumeClaimType, key)?.metadata.annotations).toEqual({});
  });
  it('ignoreDelayBinding changes nothing for a class that binds immediately', async () => {
    const settings = { restorePVC: { ignoreDelayBinding: true } };
    const { pod, isDone, stop, ended } = await started({ settings, unbound: ['dl'] });
    expect(pod()?.spec.schedulingGates).toHaveLength(1);
    expect(isDone()).toBe(false);
    stop();
    await expect(ended).rejects.toThrow('enough');
  });
});

describe('a cache volume', () => {
  it('is created beside the restore volume, mounted, passed to the mover, and cleaned up', async () => {
    const { cluster, ports, pod, ended } = await started({ settings: { cachePVC: cache }, dataBytes: 2 ** 30 });
    await ended;
    const claim = cluster.find(persistentVolumeClaimType, cacheKey);
    expect(claim?.spec).toMatchObject({ storageClassName: 'cache', resources: { requests: { storage: '6Gi' } } });
    expect(claim?.metadata.ownerReferences?.[0]?.uid).toBe('d-1');
    expect(pod()?.spec.containers[0]?.args).toContain('--cache-volume-path=/cachedir');
    await cleanUpRestore(ports, owner, anyParam, { signal });
    expect(cluster.all(persistentVolumeClaimType, 'velero')).toEqual([]);
    expect(cluster.all(podType, 'velero')).toEqual([]);
    await cleanUpRestore(ports, owner, anyParam, { signal });
  });
  it('is not created for a restore of little data', async () => {
    const { cluster, ended } = await started({ settings: { cachePVC: cache }, dataBytes: 1_000 });
    await ended;
    expect(cluster.find(persistentVolumeClaimType, cacheKey)).toBeUndefined();
  });
  it('delays the end of the exposure until it is bound', async () => {
    const given = await started({ settings: { cachePVC: cache }, unbound: ['dl-cache'] });
    expect(given.isDone()).toBe(false);
    given.cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, cacheKey, (claim) => {
      claim.status = { phase: 'Bound' };
    });
    await given.ended;
  });
  it('does not delay the exposure when its class waits for the pod', async () => {
    const settings = { cachePVC: { ...cache, waitsForConsumer: true } };
    const { ended } = await started({ settings, unbound: ['dl-cache'] });
    await ended;
  });
  it('of another owner with that name is left alone', async () => {
    const clock = new FakeClock();
    const cluster = fakeCluster({ clock, objects: [aPersistentVolumeClaim({ ...cacheKey, uid: 'other' })] });
    const ports = { kube: cluster, clock, random: seededRandom(1), log: recordingLog() };
    await cleanUpRestore(ports, owner, anyParam, { signal });
    expect(cluster.find(persistentVolumeClaimType, cacheKey)?.metadata.uid).toBe('other');
  });
});

describe('a claim that already has a volume', () => {
  const claim = { namespace: 'app', name: 'data', uid: 'target' };
  const target = aPersistentVolumeClaim({ ...claim, volumeName: 'pv-data', spec: { storageClassName: 'fast' } });
  const volume = aPersistentVolume({
    claim,
    labels: { app: 'db' },
    annotations: { 'pv.kubernetes.io/provisioned-by': 'csi.lateen.dev' },
    spec: { nodeAffinity: { required: { nodeSelectorTerms: [] } } },
  });
  const inPlace = { ...anyParam, inPlace: true, targetVolume: 'pv-data' };
  const copyKey = { name: 'lateen-d-1' };
  const begin = (...objects: KubeObject[]) => {
    const clock = new FakeClock();
    const cluster = fakeCluster({
      clock,
      objects: [download, aDaemonSet(), aStorageClass({ name: 'fast' }), ...objects],
    });
    cluster.intercept(async (call, next) => {
      const answer = await next();
      if (call.verb === 'create' && call.type.kind === 'PersistentVolumeClaim')
        cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, keyOf(answer as KubeObject), (made) => {
          made.status = { phase: 'Bound' };
        });
      return answer;
    });
    const ports = { kube: cluster, clock, random: seededRandom(1), log: recordingLog() };
    return { cluster, ports };
  };

  it('is exposed through a second PersistentVolume, and is not written itself', async () => {
    const { cluster, ports } = begin(target, volume);
    const before = cluster.find(persistentVolumeType, { name: 'pv-data' });
    await exposeRestore(ports, owner, inPlace, { signal });
    const copy = cluster.find(persistentVolumeType, copyKey);
    expect(copy?.metadata.labels).toEqual({ 'lateen.dev/lent-to': 'd-1' });
    expect(copy?.metadata.annotations).toBeUndefined();
    expect(copy?.spec).toEqual({
      ...volume.spec,
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'velero', name: 'dl' },
    });
    expect(cluster.find(persistentVolumeClaimType, key)?.spec.volumeName).toBe('lateen-d-1');
    expect(cluster.find(podType, key)?.spec.schedulingGates ?? []).toEqual([]);
    expect(cluster.find(persistentVolumeType, { name: 'pv-data' })).toEqual(before);
    await exposeRestore(ports, owner, inPlace, { signal });
    expect(cluster.all(persistentVolumeType)).toHaveLength(2);
  });

  it('keeps its volume and data after the cleanup', async () => {
    const { cluster, ports } = begin(target, volume);
    await exposeRestore(ports, owner, inPlace, { signal });
    cluster.change<PersistentVolume>(persistentVolumeType, copyKey, (copy) => {
      copy.spec.claimRef = {
        ...copy.spec.claimRef,
        uid: cluster.find(persistentVolumeClaimType, key)?.metadata.uid ?? '',
      };
    });
    cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, key, (made) => {
      made.spec.volumeName = 'lateen-d-1';
    });
    const policies: unknown[] = [];
    cluster.onChange(({ object }) => {
      if (object.kind === 'PersistentVolume')
        policies.push((object as unknown as PersistentVolume).spec.persistentVolumeReclaimPolicy);
    });
    // This holds even when spec.restoreType was removed meanwhile.
    await cleanUpRestore(ports, owner, anyParam, { signal });
    await cleanUpRestore(ports, owner, inPlace, { signal });
    expect(new Set(policies)).toEqual(new Set(['Retain']));
    expect(cluster.all(persistentVolumeType).map(({ metadata }) => metadata.name)).toEqual(['pv-data']);
    expect(cluster.find(persistentVolumeType, { name: 'pv-data' })?.spec).toEqual(volume.spec);
    expect(cluster.all(persistentVolumeClaimType).map(({ metadata }) => metadata.name)).toEqual(['data']);
    expect(cluster.find(podType, key)).toBeUndefined();
  });

  it.each<[string, readonly KubeObject[]]>([
    ['EXPOSE_NO_TARGET_CLAIM', []],
    ['EXPOSE_TARGET_NOT_BOUND', [aPersistentVolumeClaim({ uid: 'target' })]],
    ['EXPOSE_TARGET_NOT_BOUND', [target]],
    ['EXPOSE_TARGET_NOT_BOUND', [target, aPersistentVolume({ claim: { ...claim, uid: 'another' } })]],
    [
      'EXPOSE_TARGET_CHANGED',
      [{ ...target, spec: { ...target.spec, volumeName: 'pv-2' } }, aPersistentVolume({ name: 'pv-2', claim })],
    ],
  ])('creates nothing: %s', async (code, objects) => {
    const { cluster, ports } = begin(...objects);
    await expect(exposeRestore(ports, owner, inPlace, { signal })).rejects.toMatchObject({ code });
    expect(cluster.calls.filter(({ verb }) => verb === 'create')).toEqual([]);
  });
});
