import { eventType, podType } from '@lateen/api-types';
import { kubeError } from '@lateen/kube';
import {
  aNode,
  aPersistentVolumeClaim,
  aPod,
  aStorageClass,
  aVolumeSnapshot,
  aVolumeSnapshotContent,
  fakeCluster,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { diagnoseExposure } from './diagnose-exposure.ts';
import { Refusals } from './refusals.ts';

const owner = { apiVersion: 'velero.io/v2alpha1', kind: 'DataUpload', namespace: 'velero', name: 'upload', uid: 'u' };
const mine = { ownerReferences: [{ ...owner, controller: true }] };
const { signal } = new AbortController();
const snapshot = { namespace: 'app', name: 'snapshot' };
const target = { namespace: 'app', name: 'data' };
const waitingPod = aPod({
  name: 'upload',
  nodeName: 'node-1',
  metadata: { name: 'upload', namespace: 'velero', uid: 'pod', ...mine },
});
const waitingClaim = aPersistentVolumeClaim({
  metadata: { name: 'upload', namespace: 'velero', uid: 'claim', ...mine },
});

describe('diagnoseExposure', () => {
  it.each([
    ['nothing has been created yet', [aVolumeSnapshot({ readyToUse: false }), aVolumeSnapshotContent()], { snapshot }],
    ['a claim waits', [aStorageClass(), waitingClaim, aNode()], { snapshot }],
    ['a pod waits', [aStorageClass(), waitingClaim, waitingPod, aNode()], { snapshot }],
    ['a target waits', [aPersistentVolumeClaim(), aStorageClass()], { target }],
  ])('makes at most ten reads of one object or page when %s', async (_, objects, scope) => {
    const cluster = fakeCluster({ objects });
    await diagnoseExposure(cluster, owner, { ...scope, signal });
    expect(cluster.calls.length).toBeLessThanOrEqual(10);
    for (const { verb, options } of cluster.calls)
      expect(verb === 'get' || (verb === 'list' && 'limit' in options)).toBe(true);
  });

  it('ignores objects of others that have the same names', async () => {
    const foreign = aPersistentVolumeClaim({ namespace: 'velero', name: 'upload' });
    const cluster = fakeCluster({ objects: [foreign, aPod({ name: 'upload' })] });
    expect(await diagnoseExposure(cluster, owner, { signal })).toBeUndefined();
  });

  it('continues with what may be read', async () => {
    const cluster = fakeCluster({ objects: [aStorageClass(), waitingClaim] });
    cluster.failTimes(9, 'list', eventType, 'KUBE_FORBIDDEN').failTimes(9, 'get', podType, 'KUBE_FORBIDDEN');
    expect(await diagnoseExposure(cluster, owner, { signal })).toContain(
      'no provisioner of csi.lateen.dev has started',
    );
  });

  it('fails when the API server does not answer, because then nothing is known', async () => {
    const cluster = fakeCluster({ objects: [waitingClaim] });
    cluster.failOnce('list', eventType, 'KUBE_UNAVAILABLE');
    await expect(diagnoseExposure(cluster, owner, { signal })).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE' });
  });
});

describe('Refusals', () => {
  const refuse = (refusals: Refusals, uid: string, error: unknown) =>
    refusals.during({ ...owner, uid }, () => Promise.reject(error)).catch(() => {});
  const away = kubeError('KUBE_UNAVAILABLE', 'the API server is away');

  it('keeps the latest refusal until a call succeeds', async () => {
    const refusals = new Refusals();
    await refuse(refusals, 'u', away);
    await refuse(refusals, 'u', kubeError('KUBE_SERVER_ERROR', 'failed calling webhook "w.example": refused'));
    expect(refusals.of(owner)).toEqual({
      cause: 'failed calling webhook "w.example": refused',
      nextStep: 'Repair admission webhook w.example, or remove its configuration: it does not answer.',
    });
    await refusals.during(owner, async () => {});
    expect(refusals.of(owner)).toBeUndefined();
  });
  it('ignores conflicts and internal errors, and drops forgotten refusals', async () => {
    const refusals = new Refusals();
    await refuse(refusals, 'u', kubeError('KUBE_CONFLICT', 'changed'));
    await refuse(refusals, 'u', new Error('no'));
    expect(refusals.of(owner)).toBeUndefined();
    await refuse(refusals, 'u', away);
    refusals.forget(owner);
    expect(refusals.of(owner)).toBeUndefined();
  });
  it('gives a more specific next step than the error for missing permissions', async () => {
    const refusals = new Refusals();
    const message = 'pods "upload" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1';
    await refuse(refusals, 'u', kubeError('KUBE_FORBIDDEN', message, { nextStep: 'Grant the right.' }));
    expect(refusals.of(owner)?.nextStep).toBe('Raise ResourceQuota q, or delete objects that it counts.');
  });
  it('keeps a limited number of refusals', async () => {
    const refusals = new Refusals();
    for (let count = 0; count < 300; count++) await refuse(refusals, `u${count}`, away);
    const kept = Array.from({ length: 300 }, (_, count) => refusals.of({ ...owner, uid: `u${count}` }));
    expect(kept.filter((finding) => finding !== undefined)).toHaveLength(256);
    expect(kept.at(-1)).toBeDefined();
  });
});
