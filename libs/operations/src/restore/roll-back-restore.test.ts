import {
  deploymentType,
  type KubeObject,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  podType,
  type Restore,
} from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { kubeError } from '@lateen/kube';
import {
  aPersistentVolumeClaim,
  aPod,
  aVolumeSnapshot,
  FakeClock,
  fakeCluster,
  letTimePass,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type RollBackStep, rollBackRestore } from './roll-back-restore.ts';

const signal = new AbortController().signal;
const restore: Restore = {
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: { name: 'back', namespace: 'velero', uid: 'restore-uid' },
  spec: {},
  status: { phase: 'PartiallyFailed' },
};
const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'app' } };
const before = (name: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'app', name, labels: { app: 'db' } },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'lateen' },
});
const oldData = (claim: string, parts: Parameters<typeof aVolumeSnapshot>[0] = {}) =>
  aVolumeSnapshot({
    name: `old-${claim}`,
    labels: { 'lateen.dev/old-data-of': 'restore-uid' },
    annotations: { 'lateen.dev/old-claim': JSON.stringify(before(claim)) },
    ...parts,
  });
const workload = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'app', name: 'db', annotations: { 'lateen.dev/scaled-down': 'restore-uid/3' } },
  spec: { replicas: 0 },
} as unknown as KubeObject;
const user = aPod({
  namespace: 'app',
  name: 'db-0',
  spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] },
});

function world(...objects: KubeObject[]) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [namespace, ...objects] });
  const steps: RollBackStep[] = [];
  const ports = { kube: cluster, clock, random: seededRandom() };
  const run = (of = restore) =>
    letTimePass(
      rollBackRestore(ports, of, (step) => steps.push(step), signal),
      clock,
    );
  const claims = () =>
    cluster
      .all(persistentVolumeClaimType)
      .map(({ metadata, spec }) => [metadata.name, spec.dataSource?.name, spec.volumeName]);
  const replicas = () => cluster.find(deploymentType, { namespace: 'app', name: 'db' })?.spec.replicas;
  return { cluster, run, steps, claims, replicas };
}

const written = aPersistentVolumeClaim({ volumeName: 'pv-data' });

describe('a rollback', () => {
  it('recreates each claim from the snapshot of its old data, and scales the workloads up', async () => {
    const { run, claims, replicas, steps } = world(written, oldData('data'), oldData('logs'), workload);
    await run();
    expect(claims()).toEqual([
      ['data', 'old-data', undefined],
      ['logs', 'old-logs', undefined],
    ]);
    expect(replicas()).toBe(3);
    expect(steps.map(({ kind }) => kind)).toEqual(['replacing', 'replacing']);
    await run();
    expect(steps.slice(2).map(({ kind }) => kind)).toEqual(['replaced', 'replaced']);
  });

  it('continues after the process died between deletion and creation of a claim', async () => {
    const { cluster, run, claims } = world(written, oldData('data'));
    cluster.failOnce('create', persistentVolumeClaimType, kubeError('KUBE_UNAVAILABLE', 'the process is gone'));
    await expect(run()).rejects.toThrow('the process is gone');
    expect(claims()).toEqual([]);
    await run();
    expect(claims()).toEqual([['data', 'old-data', undefined]]);
  });

  it.each<[string, KubeObject[], Restore, string]>([
    [
      'the restore still runs',
      [written, oldData('data')],
      { ...restore, status: { phase: 'InProgress' } },
      'RESTORE_RUNS',
    ],
    ['nothing was written', [written], restore, 'NOTHING_TO_ROLL_BACK'],
    [
      'another restore has written',
      [written, oldData('data')],
      { ...restore, metadata: { ...restore.metadata, uid: 'x' } },
      'NOTHING_TO_ROLL_BACK',
    ],
    ['a pod uses a claim', [written, user, oldData('logs'), oldData('data')], restore, 'CLAIM_IN_USE'],
    ['a snapshot cannot be used', [written, oldData('data', { readyToUse: false })], restore, 'SNAPSHOT_NOT_READY'],
  ])('changes nothing when %s', async (_title, objects, of, code) => {
    const { cluster, run } = world(...objects, workload);
    const error = await run(of).catch((caught: unknown) => caught);
    expect(isAppError(error, code)).toBe(true);
    expect(cluster.calls.filter(({ verb }) => ['create', 'patch', 'delete', 'update'].includes(verb))).toEqual([]);
    expect(cluster.all(podType).length).toBeLessThan(2);
  });
});
