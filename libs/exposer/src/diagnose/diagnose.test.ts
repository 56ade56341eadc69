import type { CoreEvent, Pod } from '@lateen/api-types';
import { aPersistentVolumeClaim, aPod, aVolumeSnapshot } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { hostingPodFailure } from './hosting-pod-failure.ts';
import { type ExposureSeen, rootCause } from './root-cause.ts';

const anEvent = (kind: string, reason: string, message: string, lastTimestamp = '2030-01-01T00:00:00Z'): CoreEvent => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { namespace: 'velero', name: `${kind}-${reason}` },
  involvedObject: { kind, namespace: 'velero', name: 'upload' },
  reason,
  message,
  lastTimestamp,
});
const pending = aPersistentVolumeClaim({ namespace: 'velero', name: 'upload', storage: '1Gi' });
const unscheduled = aPod({
  name: 'upload',
  status: {
    conditions: [
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' },
    ],
  },
});
const waiting = (reason: string, message?: string): Pod =>
  aPod({
    name: 'upload',
    nodeName: 'node-1',
    status: {
      containerStatuses: [{ name: 'u', state: { waiting: message === undefined ? { reason } : { reason, message } } }],
    },
  });

describe('the root cause of an exposure that is not ready', () => {
  const rows: [string, ExposureSeen, string | undefined][] = [
    ['nothing is known', { events: [] }, undefined],
    [
      'the snapshot failed; that the claim is pending follows from it',
      {
        snapshot: aVolumeSnapshot({ readyToUse: false, status: { error: { message: 'no space' } } }),
        claim: pending,
        events: [],
      },
      'VolumeSnapshot app/snapshot is not ready: no space',
    ],
    [
      'an old error of a snapshot that is ready by now is no cause',
      { snapshot: aVolumeSnapshot({ status: { error: { message: 'was slow' } } }), events: [] },
      undefined,
    ],
    [
      'the volume cannot be made; the latest word counts, and the pod only waits for it',
      {
        claim: pending,
        pod: unscheduled,
        events: [
          anEvent('PersistentVolumeClaim', 'ProvisioningFailed', 'late', '2030-01-01T00:01:00Z'),
          anEvent('PersistentVolumeClaim', 'ProvisioningFailed', 'early'),
        ],
      },
      'volume of PersistentVolumeClaim velero/upload cannot be provisioned: late',
    ],
    [
      'the image is missing',
      { pod: waiting('ErrImageNeverPull'), events: [] },
      'hosting pod velero/upload cannot start: ErrImageNeverPull',
    ],
    [
      'the volume cannot be mounted',
      { pod: aPod({ name: 'upload', phase: 'Pending' }), events: [anEvent('Pod', 'FailedMount', 'wrong fs type')] },
      'hosting pod velero/upload cannot mount its volume: wrong fs type',
    ],
    [
      'no node fits',
      { pod: unscheduled, events: [] },
      'hosting pod velero/upload is not scheduled: 0/3 nodes are available',
    ],
    [
      'nobody says anything about the claim',
      { claim: pending, events: [anEvent('Pod', 'Pulled', 'x')] },
      'PersistentVolumeClaim velero/upload has no volume yet (StorageClass lateen)',
    ],
    ['a bound claim is not waited for', { claim: aPersistentVolumeClaim({ volumeName: 'pv' }), events: [] }, undefined],
  ];
  it.each(rows)('%s', (_, seen, expected) => {
    expect(rootCause(seen)).toBe(expected);
  });
});

describe('a hosting pod that will never run', () => {
  it.each(['ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName'])(
    '%s is hopeless and names image and node',
    (reason) => {
      const failure = hostingPodFailure(waiting(reason, 'manifest unknown'));
      expect(failure?.message).toBe(`hosting pod velero/upload cannot start: ${reason}: manifest unknown`);
      expect(failure?.nextStep).toContain('localhost/lateen:dev');
      expect(failure?.nextStep).toContain('node-1');
    },
  );
  it.each(['ContainerCreating', 'ErrImagePull', 'PodInitializing'])('%s may pass', (reason) => {
    expect(hostingPodFailure(waiting(reason))).toBeUndefined();
  });
  it('a failed pod tells its termination message', () => {
    const terminated = { exitCode: 1, message: 'volume is not mounted\n' };
    const pod = aPod({ phase: 'Failed', status: { containerStatuses: [{ name: 'u', state: { terminated } }] } });
    expect(hostingPodFailure(pod)?.message).toBe('hosting pod velero/pod failed: volume is not mounted');
  });
  it('an evicted pod tells why', () => {
    const pod = aPod({ phase: 'Failed', status: { reason: 'Evicted', message: 'low on memory' } });
    expect(hostingPodFailure(pod)?.message).toBe('hosting pod velero/pod failed: Evicted: low on memory');
  });
  it('a killed container tells its exit code and reason', () => {
    const terminated = { exitCode: 137, reason: 'OOMKilled' };
    const pod = aPod({ phase: 'Failed', status: { containerStatuses: [{ name: 'u', state: { terminated } }] } });
    expect(hostingPodFailure(pod)?.message).toBe(
      'hosting pod velero/pod failed: container ended with exit code 137: OOMKilled',
    );
  });
  it('a pod whose kubelet is silent names the node', () => {
    const failure = hostingPodFailure(aPod({ phase: 'Unknown', nodeName: 'node-9' }));
    expect(failure?.code).toBe('HOSTING_POD_LOST');
    expect(failure?.nextStep).toContain('node-9');
  });
  it.each(['Pending', 'Running', 'Succeeded'] as const)('%s is no failure', (phase) => {
    expect(hostingPodFailure(aPod({ phase }))).toBeUndefined();
  });
});
