import type { PersistentVolume, Volume, VolumeMode } from '@lateen/api-types';
import { parseResourcePolicies, type VolumePolicy } from '@lateen/item-filters';
import { aConfigMap, aPersistentVolume, aPersistentVolumeClaim, aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type FsBackupInput, podVolumesForFsBackup } from './fs-backup.ts';

const policiesOf = (text: string): VolumePolicy[] =>
  parseResourcePolicies(aConfigMap({ data: { policies: `version: v1\nvolumePolicies:\n${text}` } })).volumePolicies;

const claim: Volume = { name: 'data', persistentVolumeClaim: { claimName: 'data' } };

interface Asked {
  annotations?: Record<string, string>;
  spec?: FsBackupInput['spec'];
  policies?: string;
  volume?: PersistentVolume | undefined;
  claimsExcluded?: boolean;
  isMounted?: boolean;
  mode?: VolumeMode;
}

const mounting = (names: string[]) => [
  { name: 'main', volumeMounts: names.map((name) => ({ name, mountPath: `/${name}` })) },
];

/** `read`, or why the only volume of the pod is not read. */
function ask(
  volume: Volume,
  { annotations = {}, spec = {}, policies, claimsExcluded = false, isMounted = true, mode, ...given }: Asked,
) {
  const pv = 'volume' in given ? given.volume : aPersistentVolume({});
  const { fsBackup, refused, skipped } = podVolumesForFsBackup({
    pod: aPod({
      name: 'web',
      annotations,
      spec: { volumes: [volume], containers: mounting(isMounted ? [volume.name] : []) },
    }),
    spec,
    policies: policies === undefined ? [] : policiesOf(policies),
    claimed: (name) =>
      name === 'data'
        ? { pvc: aPersistentVolumeClaim({ spec: mode ? { volumeMode: mode } : {} }), ...(pv && { pv }) }
        : undefined,
    claimsExcluded,
  });
  const refusal = refused.find((each) => each.volume === volume.name);
  if (refusal !== undefined) return `refused: ${refusal.reason}`;
  return fsBackup.length === 1 ? 'read' : skipped[0]?.reason;
}

const optIn = { 'backup.velero.io/backup-volumes': 'logs, data' };
const optOut = { 'backup.velero.io/backup-volumes-excludes': 'logs,data' };
const byDefault = { defaultVolumesToFsBackup: true };
const notNamed = 'annotation backup.velero.io/backup-volumes of pod web does not name it';
const leftOut = 'annotation backup.velero.io/backup-volumes-excludes of pod web leaves it out';

/** backup-and-restore.md section 5, first question. */
describe('volumes of a pod that are backed up through the file system', () => {
  it.each<[name: string, Volume, Asked, answer: string]>([
    ['a claim', claim, {}, notNamed],
    ['a claim that the pod names', claim, { annotations: optIn }, 'read'],
    ['a claim beside a named one', claim, { annotations: { 'backup.velero.io/backup-volumes': 'data2' } }, notNamed],
    ['a claim', claim, { spec: byDefault }, 'read'],
    ['a claim', claim, { spec: { defaultVolumesToRestic: true } }, 'read'],
    [
      'a claim, with the new name of the setting',
      claim,
      { spec: { defaultVolumesToFsBackup: false, defaultVolumesToRestic: true } },
      notNamed,
    ],
    ['a claim that the pod excludes', claim, { spec: byDefault, annotations: optOut }, leftOut],
    ['a claim that the pod includes, when that has no effect', claim, { spec: byDefault, annotations: optIn }, 'read'],
    ['a claim that the pod excludes, when all are backed up', claim, { annotations: optOut }, notNamed],
    ['emptyDir', { name: 'data', emptyDir: {} }, { spec: byDefault }, 'read'],
    ['emptyDir', { name: 'data', emptyDir: {} }, {}, notNamed],
    [
      'hostPath',
      { name: 'data', hostPath: { path: '/' } },
      { spec: byDefault },
      'hostPath volumes are not read through the file system',
    ],
    [
      'hostPath that the pod includes',
      { name: 'data', hostPath: { path: '/' } },
      { annotations: optIn },
      'refused: hostPath volumes are not read through the file system',
    ],
    [
      'hostPath that the pod includes, when that has no effect',
      { name: 'data', hostPath: { path: '/' } },
      { annotations: optIn, spec: byDefault },
      'hostPath volumes are not read through the file system',
    ],
    [
      'secret',
      { name: 'data', secret: {} },
      { spec: byDefault },
      'secret volumes are not read through the file system',
    ],
    [
      'configMap',
      { name: 'data', configMap: {} },
      { spec: byDefault },
      'configMap volumes are not read through the file system',
    ],
    [
      'projected',
      { name: 'data', projected: {} },
      { spec: byDefault },
      'projected volumes are not read through the file system',
    ],
    [
      'downwardAPI',
      { name: 'data', downwardAPI: {} },
      { spec: byDefault },
      'downwardAPI volumes are not read through the file system',
    ],
    [
      'hostPath, whatever a policy says',
      { name: 'data', hostPath: { path: '/' } },
      { policies: '- action: {type: fs-backup}' },
      'hostPath volumes are not read through the file system',
    ],
    [
      'image',
      { name: 'data', image: { reference: 'r' } },
      { spec: byDefault },
      'image volumes are not read through the file system',
    ],
    ['an ephemeral claim', { name: 'scratch', ephemeral: {} }, { spec: byDefault }, 'read'],
    [
      'an ephemeral claim of a backup without claims',
      { name: 'scratch', ephemeral: {} },
      { spec: byDefault, claimsExcluded: true },
      'claims are not in the backup',
    ],
    [
      'a block volume that the pod includes',
      claim,
      { annotations: optIn, mode: 'Block' },
      'refused: it is a block volume, which has no files; only a snapshot can take it',
    ],
    ['a block volume that the pod does not include', claim, { mode: 'Block' }, notNamed],
    [
      'a volume that no container mounts',
      { name: 'data', emptyDir: {} },
      { spec: byDefault, isMounted: false },
      'refused: no container of the pod mounts it',
    ],
    ['a volume that is not mounted and not included', { name: 'data', emptyDir: {} }, { isMounted: false }, notNamed],
    [
      'a service account token',
      { name: 'default-token-x7v2l', emptyDir: {} },
      { spec: byDefault },
      'it holds the token of a service account',
    ],
    [
      'a claim of a backup without claims',
      claim,
      { spec: byDefault, claimsExcluded: true },
      'claims are not in the backup',
    ],
    [
      'emptyDir of a backup without claims',
      { name: 'data', emptyDir: {} },
      { spec: byDefault, claimsExcluded: true },
      'read',
    ],

    ['a claim with policy fs-backup', claim, { policies: '- action: {type: fs-backup}' }, 'read'],
    [
      'a claim with policy fs-backup that the pod excludes',
      claim,
      { policies: '- action: {type: fs-backup}', spec: byDefault, annotations: optOut },
      'read',
    ],
    [
      'a claim with policy snapshot',
      claim,
      { policies: '- action: {type: snapshot}', spec: byDefault },
      'volume policy 1 says snapshot',
    ],
    [
      'a claim with policy skip that the pod includes',
      claim,
      { policies: '- action: {type: skip}', annotations: optIn },
      'volume policy 1 says skip',
    ],
    [
      'a claim with policy custom',
      claim,
      { policies: '- action: {type: custom}', spec: byDefault },
      'volume policy 1 says custom',
    ],
    [
      'a claim that no policy matches',
      claim,
      { policies: '- conditions: {storageClass: [other]}\n  action: {type: skip}', annotations: optIn },
      'read',
    ],
    [
      'a claim whose volume a policy matches',
      claim,
      { policies: '- conditions: {storageClass: [lateen]}\n  action: {type: fs-backup}' },
      'read',
    ],
    [
      'a claim without a volume that a policy matches by its phase',
      claim,
      { policies: '- conditions: {pvcPhase: [Pending]}\n  action: {type: skip}', spec: byDefault, volume: undefined },
      'volume policy 1 says skip',
    ],
    [
      'emptyDir that the second policy matches',
      { name: 'data', emptyDir: {} },
      {
        policies:
          '- conditions: {volumeTypes: [nfs]}\n  action: {type: fs-backup}\n- conditions: {volumeTypes: [emptyDir]}\n  action: {type: skip}',
        spec: byDefault,
      },
      'volume policy 2 says skip',
    ],
    ['a missing claim', { name: 'data', persistentVolumeClaim: { claimName: 'gone' } }, { spec: byDefault }, 'read'],
  ])('%s with %j %j: %s', (_, volume, asked, answer) => expect(ask(volume, asked)).toBe(answer));

  it('checks every volume of a pod', () => {
    const volumes: Volume[] = [claim, { name: 'token', secret: {} }, { name: 'cache', emptyDir: {} }];
    const pod = aPod({
      name: 'web',
      annotations: { 'backup.velero.io/backup-volumes': 'data' },
      spec: { volumes, containers: mounting(['data']) },
    });
    expect(
      podVolumesForFsBackup({ pod, spec: {}, policies: [], claimed: () => undefined, claimsExcluded: false }),
    ).toEqual({
      fsBackup: ['data'],
      refused: [],
      skipped: [
        { volume: 'token', reason: 'secret volumes are not read through the file system' },
        { volume: 'cache', reason: notNamed },
      ],
    });
  });
});

it.each<[string, Record<string, string>, FsBackupInput['spec'], string[]]>([
  ['includes it', { 'backup.velero.io/backup-volumes': 'data, lgos,,' }, {}, ['lgos']],
  ['excludes it', { 'backup.velero.io/backup-volumes-excludes': 'lgos' }, byDefault, []],
  ['includes it when all are backed up', { 'backup.velero.io/backup-volumes': 'lgos' }, byDefault, []],
])('a volume that the pod does not have: the pod %s', (_title, annotations, spec, expected) => {
  const pod = aPod({
    annotations,
    spec: { volumes: [{ name: 'data', emptyDir: {} }], containers: mounting(['data']) },
  });
  const given = { pod, spec, policies: [], claimed: () => undefined, claimsExcluded: false };
  const { fsBackup, refused } = podVolumesForFsBackup(given);
  expect(fsBackup).toEqual(['data']);
  expect(refused).toEqual(expected.map((volume) => ({ volume, reason: 'the pod has no volume of that name' })));
});
