import { deploymentType, snapshotMetadataServiceTypes } from '@lateen/api-types';
import { aNamespace, fakeCluster } from '@lateen/testing';
import { expect, it } from 'vitest';
import { withdrawSnapshotMetadata } from './withdraw-snapshot-metadata.ts';

const [, serviceKind] = snapshotMetadataServiceTypes;
const service = (name: string) => ({
  apiVersion: 'cbt.storage.k8s.io/v1alpha1',
  kind: 'SnapshotMetadataService',
  metadata: { name },
  spec: { address: 'a:1', audience: name, caCert: '' },
});
const deployment = (namespace: string, name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace, name },
});
const signal = new AbortController().signal;

it('deletes the SnapshotMetadataServices of its own drivers for the installed parts, and no others', async () => {
  const namespace = 'lateen-csi';
  const cluster = fakeCluster({
    objects: [
      aNamespace({ metadata: { name: namespace } }),
      deployment(namespace, 'lateen-csi-metadata'),
      deployment(namespace, 'another'),
      ...['csi.lateen.dev', 'driver.longhorn.io', 'of.another'].map(service),
    ],
  });
  const left = () =>
    [cluster.all(serviceKind), cluster.all(deploymentType)].map((all) => all.map(({ metadata }) => metadata.name));
  await withdrawSnapshotMetadata(cluster, ['controller', 'csi'], signal);
  expect(left()).toEqual([['driver.longhorn.io', 'of.another'], ['another']]);
  await withdrawSnapshotMetadata(cluster, ['csi', 'volume-manager'], signal);
  expect(left()).toEqual([['of.another'], ['another']]);
});
