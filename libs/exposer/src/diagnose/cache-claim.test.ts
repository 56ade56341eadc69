import { aDataDownload, aNode, aPersistentVolumeClaim, aPod, aStorageClass, fakeCluster } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { diagnoseExposure } from './diagnose-exposure.ts';

const owner = { apiVersion: 'velero.io/v2alpha1', kind: 'DataDownload', namespace: 'velero', name: 'dl', uid: 'd' };
const mine = { ownerReferences: [{ ...owner, controller: true }] };
const { signal } = new AbortController();
const claim = (name: string, phase: 'Bound' | 'Pending') =>
  aPersistentVolumeClaim({
    metadata: { name, namespace: 'velero', uid: name, ...mine },
    spec: { storageClassName: 'cache' },
    status: { phase },
  });
const pod = aPod({
  metadata: { name: 'dl', namespace: 'velero', uid: 'pod', ...mine },
  spec: {
    containers: [{ name: 'd' }],
    volumes: [{ name: 'cachedir', persistentVolumeClaim: { claimName: 'dl-cache' } }],
  },
  status: { phase: 'Pending' },
});
const failed = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { namespace: 'velero', name: 'e' },
  involvedObject: { kind: 'PersistentVolumeClaim', namespace: 'velero', name: 'dl-cache', uid: 'dl-cache' },
  reason: 'ProvisioningFailed',
  type: 'Warning',
  message: 'rpc error: code = ResourceExhausted desc = the pool is full',
};
const base = [aDataDownload({ name: 'dl', uid: 'd' }), aStorageClass({ name: 'cache' }), aNode(), pod];

describe('a restore whose cache volume cannot be made', () => {
  it('reports the message of the driver with at most ten reads', async () => {
    const cluster = fakeCluster({ objects: [...base, claim('dl', 'Bound'), claim('dl-cache', 'Pending'), failed] });
    const text = await diagnoseExposure(cluster, owner, { signal, target: { namespace: 'app', name: 'data' } });
    expect(text).toContain('volume of PersistentVolumeClaim velero/dl-cache cannot be provisioned');
    expect(text).toContain('the pool is full');
    expect(cluster.calls.length).toBeLessThanOrEqual(10);
  });
  it.each([
    ['the restore volume is reported first', claim('dl', 'Pending'), claim('dl-cache', 'Pending')],
    ['a bound cache claim is not reported', claim('dl', 'Bound'), claim('dl-cache', 'Bound')],
  ])('%s', async (_, own, cache) => {
    const cluster = fakeCluster({ objects: [...base, own, cache, failed] });
    expect((await diagnoseExposure(cluster, owner, { signal })) ?? '').not.toContain('dl-cache');
  });
});
