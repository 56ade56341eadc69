import { aPersistentVolume, aPersistentVolumeClaim, aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { ClaimIndex, claimsOf } from './claim-index.ts';

const mounting = (name: string, claims: string[], namespace = 'app') =>
  aPod({
    name,
    namespace,
    annotations: { 'backup.velero.io/backup-volumes': 'data', 'kubectl.kubernetes.io/last-applied': 'x'.repeat(100) },
    spec: { volumes: claims.map((claimName) => ({ name: 'data', persistentVolumeClaim: { claimName } })) },
  });

describe('claimsOf', () => {
  it.each([
    [[], []],
    [[{ name: 'a', emptyDir: {} }], []],
    [
      [
        { name: 'a', persistentVolumeClaim: { claimName: 'one' } },
        { name: 'b', persistentVolumeClaim: { claimName: 'one' } },
      ],
      ['one'],
    ],
    [[{ name: 'scratch', ephemeral: { volumeClaimTemplate: {} } }], ['pod-scratch']],
  ])('of a pod with %o: %o', (volumes, expected) => {
    expect(claimsOf(aPod({ name: 'pod', spec: { volumes } }))).toEqual(expected);
  });
});

describe('ClaimIndex', () => {
  it('lists the pods of a claim in its namespace, whether they are in the backup or not', () => {
    const index = new ClaimIndex();
    index.addPod(mounting('in', ['data']), true);
    index.addPod(mounting('out', ['data', 'other']), false);
    index.addPod(mounting('far', ['data'], 'elsewhere'), true);
    const names = (pods: readonly { metadata: { name?: string } }[]) => pods.map(({ metadata }) => metadata.name);
    expect([names(index.podsOf('app', 'data')), names(index.podsInBackup('app', 'data'))]).toEqual([
      ['in', 'out'],
      ['in'],
    ]);
    expect(names(index.podsOf('app', 'nothing'))).toEqual([]);
  });

  it('keeps a pod in the backup when it is added again', () => {
    const index = new ClaimIndex();
    index.addPod(mounting('pod', ['data']), true);
    index.addPod(mounting('pod', ['data']), false);
    expect(index.podsInBackup('app', 'data')).toHaveLength(1);
  });

  it('keeps only those fields of a pod that decisions about volumes need', () => {
    const index = new ClaimIndex();
    index.addPod(mounting('pod', ['data']), true);
    expect(JSON.stringify(index.podsOf('app', 'data'))).not.toContain('last-applied');
    expect(index.podsOf('app', 'data')[0]?.metadata.annotations).toEqual({ 'backup.velero.io/backup-volumes': 'data' });
  });

  it('drops volumes that no container mounts, so that they do not exclude the claim from a snapshot', () => {
    const index = new ClaimIndex();
    const pod = mounting('pod', ['data']);
    index.addPod(pod, true);
    const containers = [{ name: 'main', volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
    index.addPod({ ...pod, metadata: { ...pod.metadata, name: 'other' }, spec: { ...pod.spec, containers } }, true);
    const seen = index.podsInBackup('app', 'data').map(({ metadata, spec }) => [metadata.name, spec.volumes?.length]);
    expect(seen).toEqual([
      ['pod', 0],
      ['other', 1],
    ]);
  });

  it('lists the volumes that are not read yet, and the namespaces with claims', () => {
    const index = new ClaimIndex();
    for (const [name, volumeName] of [
      ['a', 'pv-a'],
      ['b', 'pv-b'],
      ['c', undefined],
    ] as const)
      index.addClaim(aPersistentVolumeClaim({ name, ...(volumeName === undefined ? {} : { volumeName }) }));
    index.addPod(mounting('pod', ['x'], 'without'), true);
    index.addVolume(aPersistentVolume({ name: 'pv-a' }));
    expect([index.unknownVolumes(), index.namespaces()]).toEqual([['pv-b'], ['app']]);
    expect(index.volume('pv-a')?.metadata.name).toBe('pv-a');
  });
});
