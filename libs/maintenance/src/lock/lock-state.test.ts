import type { Job, Lease, Pod } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { lockState } from './lock-state.ts';

const nowMs = Date.parse('2030-01-01T12:00:00Z');
const ago = (seconds: number) => new Date(nowMs - seconds * 1_000).toISOString();

const leaseOf = (holderIdentity: string, renewedSecondsAgo = 3_600): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'lateen-repository-a', namespace: 'velero' },
  spec: { holderIdentity, renewTime: ago(renewedSecondsAgo) },
});
const jobThat = (condition?: 'Complete' | 'Failed') =>
  ({
    metadata: { name: 'job' },
    status: condition === undefined ? { active: 1 } : { conditions: [{ type: condition, status: 'True' }] },
  }) as unknown as Job;
const podThat = (phase: string, deletedSecondsAgo?: number) =>
  ({
    metadata: deletedSecondsAgo === undefined ? {} : { deletionTimestamp: ago(deletedSecondsAgo) },
    status: { phase },
  }) as unknown as Pod;

describe('the lock of a repository', () => {
  it.each([
    ['names no Job', leaseOf(''), undefined, []],
    ['names a succeeded Job', leaseOf('job'), jobThat('Complete'), [podThat('Succeeded')]],
    ['names a failed Job', leaseOf('job'), jobThat('Failed'), [podThat('Failed')]],
    ['names a Job that is gone with all its pods', leaseOf('job'), undefined, []],
    ['names a Job that was never created', leaseOf('job', 61), undefined, []],
    ['has a time in the future, because of a wrong clock', leaseOf('job', -3_600), undefined, []],
    [
      'names a Job that is gone, whose pod is on a node that is gone',
      leaseOf('job'),
      undefined,
      [podThat('Running', 121)],
    ],
  ])('is free when its Lease %s', (_, lease, job, pods) => {
    expect(lockState({ lease, job, pods, nowMs })).toEqual({ kind: 'free' });
  });

  it.each([
    ['that is running', leaseOf('job'), jobThat(), [], {}],
    ['that is just being created', leaseOf('job', 20), undefined, [], { againMs: 40_000 }],
    [
      'that was deleted and whose pod is still terminating',
      leaseOf('job'),
      undefined,
      [podThat('Running', -20)],
      { againMs: 5_000 },
    ],
    ['that was deleted just now', leaseOf('job'), undefined, [podThat('Running')], { againMs: 5_000 }],
    [
      'that has failed, and whose pod is still terminating',
      leaseOf('job'),
      jobThat('Failed'),
      [podThat('Running')],
      { againMs: 5_000 },
    ],
  ])('is held by a Job %s', (_, lease, job, pods, more) => {
    expect(lockState({ lease, job, pods, nowMs })).toEqual({ kind: 'held', by: 'job', ...more });
  });
});
