import type { PersistentVolume, PersistentVolumeClaim, Volume } from '@lateen/api-types';
import { parseResourcePolicies, type VolumePolicy } from '@lateen/item-filters';
import { aConfigMap, aPersistentVolume, aPersistentVolumeClaim } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { volumeAction } from './volume-action.ts';
import type { PolicyVolume } from './volume-facts.ts';

/** Policies from the YAML under `volumePolicies`. */
const policiesOf = (text: string): VolumePolicy[] =>
  parseResourcePolicies(aConfigMap({ data: { policies: `version: v1\nvolumePolicies:\n${text}` } })).volumePolicies;

/** Whether a volume meets these conditions. */
const has = (conditions: string, volume: PolicyVolume): boolean =>
  volumeAction(volume, policiesOf(`- conditions: ${conditions}\n  action: {type: skip}`)) !== undefined;

const pv = (spec: Partial<PersistentVolume['spec']> = {}, name = 'pv-data') => ({
  pv: aPersistentVolume({ name, spec }),
});
const without = (spec: Partial<PersistentVolume['spec']>) => {
  const volume = aPersistentVolume({});
  const { csi: _, ...others } = volume.spec;
  return { pv: { ...volume, spec: { ...others, ...spec } } };
};
const pvc = (parts: Parameters<typeof aPersistentVolumeClaim>[0] = {}) => ({ pvc: aPersistentVolumeClaim(parts) });
const inPod = (source: Omit<Volume, 'name'>, name = 'data'): PolicyVolume => ({ podVolume: { name, ...source } });
const sized = (storage: string) => pv({ capacity: { storage } });
const phase = (is: 'Pending' | 'Bound' | 'Lost') => pvc({ status: { phase: is } });
const modes = (...accessModes: NonNullable<PersistentVolumeClaim['spec']['accessModes']>) =>
  pvc({ spec: { accessModes } });

describe('conditions of volume policies', () => {
  it.each<[conditions: string, volume: string, PolicyVolume, boolean]>([
    ['{capacity: "1Gi,2Gi"}', '1Gi', sized('1Gi'), true],
    ['{capacity: "1Gi,2Gi"}', '2Gi', sized('2Gi'), true],
    ['{capacity: "1Gi,2Gi"}', '1.5Gi', sized('1.5Gi'), true],
    ['{capacity: "1Gi,2Gi"}', '1023Mi', sized('1023Mi'), false],
    ['{capacity: "1Gi,2Gi"}', '2049Mi', sized('2049Mi'), false],
    ['{capacity: "1Gi,2Gi"}', '2G', sized('2G'), true],
    ['{capacity: "0,5Gi"}', '1Mi', sized('1Mi'), true],
    ['{capacity: ",5Gi"}', '5Gi', sized('5Gi'), true],
    ['{capacity: ",5Gi"}', '6Gi', sized('6Gi'), false],
    ['{capacity: "5Gi,"}', '5Gi', sized('5Gi'), true],
    ['{capacity: "5Gi,"}', '100Ti', sized('100Ti'), true],
    ['{capacity: "5Gi,"}', '4Gi', sized('4Gi'), false],
    ['{capacity: "5Gi,0"}', '100Ti', sized('100Ti'), true],
    ['{capacity: "0,5Gi"}', 'a volume of a pod', inPod({ emptyDir: {} }), true],
    ['{capacity: "1Mi,5Gi"}', 'a volume of a pod', inPod({ emptyDir: {} }), false],
    ['{capacity: "1Gi,2Gi"}', 'a claim that asks for 2Gi', pvc({ storage: '2Gi' }), true],
    ['{capacity: "1Gi,2Gi"}', 'a claim that asks for 3Gi', pvc({ storage: '3Gi' }), false],
    [
      '{capacity: "3Gi,4Gi"}',
      'a volume of 3Gi whose claim asks for 1Gi',
      { ...sized('3Gi'), ...pvc({ storage: '1Gi' }) },
      true,
    ],

    ['{storageClass: [gp2, gp3]}', 'gp3', pv({ storageClassName: 'gp3' }), true],
    ['{storageClass: [gp2, gp3]}', 'io1', pv({ storageClassName: 'io1' }), false],
    ['{storageClass: [gp2]}', 'GP2', pv({ storageClassName: 'GP2' }), false],
    ['{storageClass: [gp2]}', 'a claim that asks for gp2', pvc({ spec: { storageClassName: 'gp2' } }), true],
    ['{storageClass: [gp2]}', 'a volume of a pod', inPod({ emptyDir: {} }), false],
    ['{storageClass: [""]}', 'no class', pv({ storageClassName: '' }), true],
    ['{storageClass: []}', 'any class', pv({ storageClassName: 'io1' }), true],

    ['{nfs: {}}', 'NFS', without({ nfs: { server: 'a', path: '/x' } }), true],
    ['{nfs: {}}', 'CSI', pv(), false],
    ['{nfs: }', 'NFS', without({ nfs: { server: 'a', path: '/x' } }), true],
    ['{nfs: }', 'CSI', pv(), false],
    ['{nfs: {server: a}}', 'NFS of a', without({ nfs: { server: 'a', path: '/x' } }), true],
    ['{nfs: {server: b}}', 'NFS of a', without({ nfs: { server: 'a', path: '/x' } }), false],
    ['{nfs: {server: a, path: /y}}', 'NFS of a, /x', without({ nfs: { server: 'a', path: '/x' } }), false],
    ['{nfs: {path: /x}}', 'NFS of a, /x', without({ nfs: { server: 'a', path: '/x' } }), true],
    ['{nfs: {server: a}}', 'NFS in a pod', inPod({ nfs: { server: 'a', path: '/x' } }), true],

    ['{csi: {}}', 'CSI', pv(), true],
    ['{csi: {}}', 'NFS', without({ nfs: { server: 'a', path: '/x' } }), false],
    ['{csi: {driver: csi.lateen.dev}}', 'CSI of that driver', pv(), true],
    ['{csi: {driver: "*"}}', 'CSI', pv(), false],
    ['{csi: {driver: other}}', 'CSI', pv(), false],
    [
      '{csi: {driver: d, volumeAttributes: {a: x}}}',
      'a=x, b=y',
      pv({ csi: { driver: 'd', volumeHandle: 'h', volumeAttributes: { a: 'x', b: 'y' } } }),
      true,
    ],
    [
      '{csi: {driver: d, volumeAttributes: {a: x, c: z}}}',
      'a=x, b=y',
      pv({ csi: { driver: 'd', volumeHandle: 'h', volumeAttributes: { a: 'x', b: 'y' } } }),
      false,
    ],
    [
      '{csi: {driver: d, volumeAttributes: {a: x}}}',
      'no attributes',
      pv({ csi: { driver: 'd', volumeHandle: 'h' } }),
      false,
    ],
    ['{csi: {driver: d}}', 'CSI in a pod', inPod({ csi: { driver: 'd' } }), true],
    ['{csi: {}}', 'a claim alone', pvc(), false],

    ['{volumeTypes: [csi]}', 'CSI', pv(), true],
    ['{volumeTypes: [nfs]}', 'CSI', pv(), false],
    ['{volumeTypes: [nfs, hostPath]}', 'hostPath', without({ hostPath: { path: '/x' } }), true],
    ['{volumeTypes: [emptyDir]}', 'emptyDir in a pod', inPod({ emptyDir: {} }), true],
    ['{volumeTypes: [configmap]}', 'configMap in a pod', inPod({ configMap: { name: 'a' } }), true],
    ['{volumeTypes: [configMap]}', 'configMap in a pod', inPod({ configMap: { name: 'a' } }), true],
    ['{volumeTypes: [image]}', 'image in a pod', inPod({ image: { reference: 'a' } }), true],
    ['{volumeTypes: [downwardAPI]}', 'downwardAPI in a pod', inPod({ downwardAPI: {} }), true],
    [
      '{volumeTypes: [csi]}',
      'a claim in a pod with its volume',
      { ...pv(), ...inPod({ persistentVolumeClaim: { claimName: 'data' } }) },
      true,
    ],
    ['{volumeTypes: [cinder]}', 'cinder', without({ cinder: { volumeID: 'a' } }), true],
    ['{volumeTypes: [local]}', 'local', without({ local: { path: '/x' } }), true],

    ['{volumeName: [pv-1, data]}', 'volume pv-1', pv({}, 'pv-1'), true],
    ['{volumeName: [pv-1]}', 'volume pv-2', pv({}, 'pv-2'), false],
    ['{volumeName: [logs]}', 'logs in a pod', inPod({ emptyDir: {} }, 'logs'), true],
    ['{volumeName: [mine]}', 'claim mine', { ...pv({}, 'pv-1'), ...pvc({ name: 'mine' }) }, true],
    ['{volumeName: ["pv-*"]}', 'volume pv-1', pv({}, 'pv-1'), false],

    ['{pvcLabels: {env: prod}}', 'env=prod, team=a', pvc({ labels: { env: 'prod', team: 'a' } }), true],
    ['{pvcLabels: {env: prod, app: x}}', 'env=prod', pvc({ labels: { env: 'prod' } }), false],
    ['{pvcLabels: {env: prod}}', 'env=test', pvc({ labels: { env: 'test' } }), false],
    ['{pvcLabels: {env: prod}}', 'no labels', pvc(), false],
    ['{pvcLabels: {env: prod}}', 'no claim', pv(), false],
    ['{pvcLabels: {}}', 'no claim', pv(), true],

    ['{pvcPhase: [Pending]}', 'Pending', phase('Pending'), true],
    ['{pvcPhase: [Pending, Lost]}', 'Lost', phase('Lost'), true],
    ['{pvcPhase: [Pending]}', 'Bound', phase('Bound'), false],
    ['{pvcPhase: [Bound]}', 'Bound with its volume', { ...pv(), ...phase('Bound') }, true],
    ['{pvcPhase: [bound]}', 'Bound', phase('Bound'), false],
    ['{pvcPhase: [Pending]}', 'no claim', pv(), false],

    ['{pvcVolumeMode: Block}', 'Block', pvc({ spec: { volumeMode: 'Block' } }), true],
    ['{pvcVolumeMode: Block}', 'Filesystem', pvc({ spec: { volumeMode: 'Filesystem' } }), false],
    ['{pvcVolumeMode: block}', 'Block', pvc({ spec: { volumeMode: 'Block' } }), false],
    ['{pvcVolumeMode: Block}', 'a Block volume without a claim', pv({ volumeMode: 'Block' }), false],
    ['{pvcVolumeMode: Filesystem}', 'emptyDir in a pod', inPod({ emptyDir: {} }), false],

    ['{pvcAccessModes: [ReadWriteOnce]}', 'ReadWriteOnce', modes('ReadWriteOnce'), true],
    [
      '{pvcAccessModes: [ReadWriteOnce]}',
      'ReadWriteOnce and ReadOnlyMany',
      modes('ReadWriteOnce', 'ReadOnlyMany'),
      true,
    ],
    [
      '{pvcAccessModes: [ReadOnlyMany, ReadWriteMany]}',
      'ReadWriteMany, ReadOnlyMany',
      modes('ReadWriteMany', 'ReadOnlyMany'),
      true,
    ],
    ['{pvcAccessModes: [ReadOnlyMany, ReadWriteMany]}', 'ReadWriteMany', modes('ReadWriteMany'), false],
    ['{pvcAccessModes: [readwriteonce]}', 'ReadWriteOnce', modes('ReadWriteOnce'), false],
    ['{pvcAccessModes: [ReadWriteOnce]}', 'no claim', pv(), false],
    ['{pvcAccessModes: []}', 'no claim', pv(), true],

    ['{}', 'any', pv(), true],
    ['{}', 'emptyDir in a pod', inPod({ emptyDir: {} }), true],
    ['{storageClass: [lateen], capacity: "1Gi,"}', 'both', pv(), true],
    ['{storageClass: [lateen], capacity: "2Gi,"}', 'one of them', pv(), false],
    ['{pvcPhase: [Pending], storageClass: [lateen]}', 'a pending claim', phase('Pending'), true],
  ])('%s: %s: %#', (conditions, _, volume, matches) => expect(has(conditions, volume)).toBe(matches));
});

describe('the first matching volume policy', () => {
  const policies = policiesOf(`
- conditions: {storageClass: [fast]}
  action: {type: snapshot, parameters: {snapshotClass: gold}}
- conditions: {capacity: "1Gi,"}
  action: {type: fs-backup}
- conditions: {}
  action: {type: skip}
`);
  it.each<[name: string, PolicyVolume, action: object]>([
    ['both of the first two', pv({ storageClassName: 'fast' }), { type: 'snapshot', snapshotClass: 'gold' }],
    ['the second', sized('1Gi'), { type: 'fs-backup' }],
    ['only the last', sized('1Mi'), { type: 'skip' }],
  ])('is chosen for a volume that matches %s', (_, volume, action) =>
    expect(volumeAction(volume, policies)).toMatchObject(action),
  );

  it('is none without a match', () => {
    expect(volumeAction(sized('1Mi'), policies.slice(0, 2))).toBeUndefined();
    expect(volumeAction(pv(), [])).toBeUndefined();
  });
});
