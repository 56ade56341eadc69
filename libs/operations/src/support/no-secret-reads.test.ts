import { podType, secretType } from '@lateen/api-types';
import { aPod, aSecret, fakeCluster } from '@lateen/testing';
import { expect, it } from 'vitest';
import { withoutSecretReads } from './no-secret-reads.ts';

const key = { namespace: 'velero', name: 'a' };

it('rejects every call that would read a Secret, before it reaches the API server', () => {
  const cluster = fakeCluster({ objects: [aSecret(key), aPod(key)] });
  const kube = withoutSecretReads(cluster);
  expect(() => kube.get(secretType, key)).toThrow('Secrets are not read');
  expect(() => kube.list(secretType)).toThrow('Secrets are not read');
  expect(() => kube.watch(secretType, { resourceVersion: '0', timeoutSeconds: 1 })).toThrow('Secrets are not read');
  expect(() => kube.patch(secretType, key, { type: 'merge', body: {} })).toThrow('Secrets are not read');
  expect(cluster.calls).toEqual([]);
});

it('passes all other calls', async () => {
  const kube = withoutSecretReads(fakeCluster({ objects: [aPod(key)] }));
  expect((await kube.get(podType, key)).metadata.name).toBe('a');
  expect((await kube.resourceTypes()).length).toBeGreaterThan(0);
});
