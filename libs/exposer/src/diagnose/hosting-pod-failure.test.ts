import type { Pod } from '@lateen/api-types';
import { aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { hostingPodFailure } from './hosting-pod-failure.ts';

const waiting = (reason: string, message?: string): Pod =>
  aPod({
    name: 'upload',
    nodeName: 'node-1',
    status: {
      containerStatuses: [{ name: 'u', state: { waiting: message === undefined ? { reason } : { reason, message } } }],
    },
  });

describe('a hosting pod that cannot run', () => {
  it.each(['ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName'])(
    '%s is final, and the next step names image and node',
    (reason) => {
      const failure = hostingPodFailure(waiting(reason, 'manifest unknown'));
      expect(failure?.message).toBe(`hosting pod velero/upload cannot start: ${reason}: manifest unknown`);
      expect(failure?.nextStep).toContain('localhost/lateen:dev');
      expect(failure?.nextStep).toContain('node-1');
    },
  );
  it.each(['ContainerCreating', 'ErrImagePull', 'PodInitializing'])('%s is not final', (reason) => {
    expect(hostingPodFailure(waiting(reason))).toBeUndefined();
  });
  it('a failed pod reports its termination message', () => {
    const terminated = { exitCode: 1, message: 'volume is not mounted\n' };
    const pod = aPod({ phase: 'Failed', status: { containerStatuses: [{ name: 'u', state: { terminated } }] } });
    expect(hostingPodFailure(pod)?.message).toBe('hosting pod velero/pod failed: volume is not mounted');
  });
  it('an evicted pod reports the reason', () => {
    const pod = aPod({ phase: 'Failed', status: { reason: 'Evicted', message: 'low on memory' } });
    expect(hostingPodFailure(pod)?.message).toBe('hosting pod velero/pod failed: Evicted: low on memory');
  });
  it('a killed container reports its exit code and reason', () => {
    const terminated = { exitCode: 137, reason: 'OOMKilled' };
    const pod = aPod({ phase: 'Failed', status: { containerStatuses: [{ name: 'u', state: { terminated } }] } });
    expect(hostingPodFailure(pod)?.message).toBe(
      'hosting pod velero/pod failed: its container ended with exit code 137 (OOMKilled)',
    );
  });
  it('a pod whose kubelet does not answer names the node', () => {
    const failure = hostingPodFailure(aPod({ phase: 'Unknown', nodeName: 'node-9' }));
    expect(failure?.code).toBe('HOSTING_POD_LOST');
    expect(failure?.nextStep).toContain('node-9');
  });
  it.each(['Pending', 'Running', 'Succeeded'] as const)('%s is not a failure', (phase) => {
    expect(hostingPodFailure(aPod({ phase }))).toBeUndefined();
  });
  it.each([
    [{ reason: 'Evicted', message: 'The node was low on resource: memory.' }, 'Free resources'],
    [{ reason: 'OutOfcpu', message: "Pod was rejected: Node didn't have enough resource: cpu" }, 'podResources'],
    [{ reason: 'Preempting', message: 'Preempted in order to admit critical pod' }, 'priorityClassName'],
    [{ reason: 'Terminated', message: 'Pod was terminated in response to imminent node shutdown.' }, 'shut down'],
    [
      { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' },
      'activeDeadlineSeconds',
    ],
    [{ reason: 'NodeAffinity', message: 'Pod was rejected: Predicate NodeAffinity failed' }, 'kubelet has refused'],
  ])('%j has a next step', (status, step) => {
    const failure = hostingPodFailure(aPod({ phase: 'Failed', status }));
    expect(failure?.message).toContain(status.message.replace(/\.$/, ''));
    expect(failure?.nextStep).toContain(step);
  });
  it('a pod that was disrupted without a message reports the DisruptionTarget condition', () => {
    const conditions = [
      {
        type: 'DisruptionTarget',
        status: 'True' as const,
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
      },
    ];
    const failure = hostingPodFailure(aPod({ phase: 'Failed', status: { conditions } }));
    expect(failure?.message).toBe(
      'hosting pod velero/pod failed: DeletionByTaintManager: Taint manager: deleting due to NoExecute taint',
    );
    expect(failure?.nextStep).toContain('Check the node');
  });
});
