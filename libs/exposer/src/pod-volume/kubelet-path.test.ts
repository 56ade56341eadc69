import type { PersistentVolume, Volume } from '@lateen/api-types';
import { aPersistentVolume, aPersistentVolumeClaim, aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { kubeletPath } from './kubelet-path.ts';

const root = '/var/lib/kubelet';
const pod = aPod({ namespace: 'app', name: 'db', uid: 'pod-1' });
const inline = (source: object) => ({ pod, volume: { name: 'data', ...source } as Volume });
const persistent = (source: object) => {
  const { csi: _, ...spec } = aPersistentVolume().spec;
  const persistentVolume: PersistentVolume = { ...aPersistentVolume({ name: 'pv-1' }), spec: { ...spec, ...source } };
  return {
    ...inline({ persistentVolumeClaim: { claimName: 'data' } }),
    bound: { claim: aPersistentVolumeClaim(), persistentVolume },
  };
};

describe('the kubelet directory of a pod volume', () => {
  it.each([
    ['emptyDir', inline({ emptyDir: {} }), 'kubernetes.io~empty-dir/data'],
    ['emptyDir in memory', inline({ emptyDir: { medium: 'Memory' } }), 'kubernetes.io~empty-dir/data'],
    ['inline CSI volume', inline({ csi: { driver: 'inline.example' } }), 'kubernetes.io~csi/data/mount'],
    ['inline NFS volume', inline({ nfs: { server: 's', path: '/' } }), 'kubernetes.io~nfs/data'],
    ['a named ConfigMap', inline({ configMap: { name: 'c' } }), 'kubernetes.io~configmap/data'],
    ['FlexVolume', inline({ flexVolume: { driver: 'vendor.example/disk' } }), 'vendor.example~disk/data'],
    ['CSI', persistent({ csi: { driver: 'd', volumeHandle: 'h' } }), 'kubernetes.io~csi/pv-1/mount'],
    ['NFS', persistent({ nfs: { server: 's', path: '/' } }), 'kubernetes.io~nfs/pv-1'],
    ['local', persistent({ local: { path: '/disks/1' } }), 'kubernetes.io~local-volume/pv-1'],
    ['iSCSI', persistent({ iscsi: { targetPortal: 'p', iqn: 'i', lun: 0 } }), 'kubernetes.io~iscsi/pv-1'],
    ['Fibre Channel', persistent({ fc: { wwids: ['w'] } }), 'kubernetes.io~fc/pv-1'],
    ['a cloud disk', persistent({ awsElasticBlockStore: { volumeID: 'v' } }), 'kubernetes.io~csi/pv-1/mount'],
    ['FlexVolume of a claim', persistent({ flexVolume: { driver: 'a/b' } }), 'a~b/pv-1'],
  ])('%s', (_, volume, below) => {
    expect(kubeletPath(root, volume)).toBe(`${root}/pods/pod-1/volumes/${below}`);
  });

  it('of a static pod contains the UID that the kubelet uses', () => {
    const mirror = { ...pod, metadata: { ...pod.metadata, annotations: { 'kubernetes.io/config.mirror': 'file-1' } } };
    expect(kubeletPath('/data/kubelet', { ...inline({ emptyDir: {} }), pod: mirror })).toBe(
      '/data/kubelet/pods/file-1/volumes/kubernetes.io~empty-dir/data',
    );
  });

  it.each([
    [
      'a hostPath volume',
      inline({ hostPath: { path: '/data' } }),
      'volume "data" is a path of its node',
      /leave it out/,
    ],
    [
      'a hostPath PersistentVolume',
      persistent({ hostPath: { path: '/' } }),
      'PersistentVolume pv-1 is a path',
      /local/,
    ],
    [
      'an image volume',
      inline({ image: { reference: 'r' } }),
      'where the kubelet mounts volume "data"',
      /PersistentVolumeClaim/,
    ],
    ['an inline cloud disk', inline({ azureDisk: { diskName: 'd' } }), 'volume "data"', /Claim/],
    ['an unknown type', persistent({ quobyte: {} }), 'PersistentVolume pv-1', /ReadWriteOncePod/],
  ])('%s has none', (_, volume, message, nextStep) => {
    expect(() => kubeletPath(root, volume)).toThrow(
      expect.objectContaining({
        code: 'EXPOSE_NO_KUBELET_PATH',
        message: expect.stringContaining(message),
        nextStep: expect.stringMatching(nextStep),
      }),
    );
  });
});
