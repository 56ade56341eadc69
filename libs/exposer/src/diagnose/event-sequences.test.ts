import type { CoreEvent, Pod } from '@lateen/api-types';
import { aPersistentVolumeClaim, aPod, aStorageClass } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { rootCause } from './root-cause.ts';

/*
 * Event sequences as a cluster of Kubernetes 1.34 records them. The scheduler writes through events.k8s.io: eventTime and series
 * instead of lastTimestamp. All other components count repeats in one object.
 */
const pod = (more: Partial<Parameters<typeof aPod>[0] & object> = {}): Pod =>
  aPod({ name: 'upload', uid: 'pod-2', ...more });
const claim = aPersistentVolumeClaim({ namespace: 'velero', name: 'upload', uid: 'claim-1' });

interface Row {
  reason: string;
  message: string;
  at: string;
  kind?: 'Pod' | 'PersistentVolumeClaim';
  uid?: string;
  /** An Event in the form that the scheduler writes; `series` is the time of its last repetition. */
  micro?: boolean;
  series?: string;
}

let number = 0;
function recorded({ reason, message, at, kind = 'Pod', uid, micro, series }: Row): CoreEvent {
  const times =
    micro === true
      ? {
          eventTime: at,
          lastTimestamp: null,
          ...(series === undefined ? {} : { series: { count: 2, lastObservedTime: series } }),
        }
      : { lastTimestamp: at, count: 1 };
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: 'velero', name: `upload.${number++}` },
    involvedObject: { kind, namespace: 'velero', name: 'upload', uid: uid ?? (kind === 'Pod' ? 'pod-2' : 'claim-1') },
    reason,
    message,
    ...times,
  };
}
const schedulerTail =
  ' no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
const failedScheduling = (words: string, at: string, series?: string): Row => ({
  reason: 'FailedScheduling',
  message: `0/1 nodes are available: ${words}.${schedulerTail}`,
  at,
  micro: true,
  ...(series === undefined ? {} : { series }),
});
const starting = pod({
  nodeName: 'node-1',
  status: { containerStatuses: [{ name: 'u', state: { waiting: { reason: 'ContainerCreating' } } }] },
});
const tellsOf = (seen: { pod?: Pod; claim?: typeof claim }, rows: Row[]) =>
  rootCause({ owner: 'velero/upload', storageClass: aStorageClass(), ...seen, events: rows.map(recorded) });

describe('an Event of the scheduler', () => {
  it('counts when it is the latest, in any order of the list', () => {
    const rows = [
      failedScheduling('1 Insufficient cpu', '2026-11-21T14:07:19.819617Z'),
      failedScheduling(
        "1 node(s) didn't match Pod's node affinity/selector",
        '2026-11-21T14:07:08.909991Z',
        '2026-11-21T14:07:15.1Z',
      ),
      failedScheduling('1 node(s) were unschedulable', '2026-11-21T14:07:17.574019Z'),
    ];
    expect(tellsOf({ pod: pod() }, rows)).toMatch(
      /is not scheduled: 0\/1 nodes are available: 1 Insufficient cpu\. Free/,
    );
  });
  it('counts by its last repetition', () => {
    const rows = [
      failedScheduling('1 Insufficient cpu', '2026-11-21T14:07:08.9Z', '2026-11-21T14:09:00.0Z'),
      failedScheduling('1 node(s) were unschedulable', '2026-11-21T14:07:17.5Z'),
    ];
    expect(tellsOf({ pod: pod() }, rows)).toContain('1 Insufficient cpu');
  });
  it('about the pod of an earlier attempt is ignored', () => {
    const rows = [{ ...failedScheduling('1 Insufficient cpu', '2026-11-21T14:07:08.9Z'), uid: 'pod-1' }];
    expect(tellsOf({ pod: pod() }, rows)).toContain('no scheduler has handled it');
  });
  it('is ignored once the pod has a node', () => {
    const rows = [failedScheduling('1 Insufficient cpu', '2026-11-21T14:07:08.9Z')];
    expect(tellsOf({ pod: starting }, rows)).toContain('is being started on node node-1');
  });
  it.each([
    '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
    '0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
  ])('%j only repeats the claim’s problem', (message) => {
    const rows: Row[] = [
      { reason: 'FailedScheduling', message, at: '2026-11-21T14:07:08.942560Z', micro: true },
      {
        kind: 'PersistentVolumeClaim',
        reason: 'ProvisioningFailed',
        message: 'storageclass.storage.k8s.io "no-such-class" not found',
        at: '2026-11-21T14:08:14Z',
      },
    ];
    expect(tellsOf({ pod: pod(), claim }, rows)).toBe(
      'volume of PersistentVolumeClaim velero/upload cannot be provisioned: storageclass.storage.k8s.io "no-such-class" not found. Create that StorageClass, or name another one.',
    );
  });
  it('about a deleted claim is reported without stray words', () => {
    const message = '0/1 nodes are available: persistentvolumeclaim "upload" not found. not found';
    const rows = [{ reason: 'FailedScheduling', message, at: '2026-11-21T14:07:08.9Z', micro: true }];
    expect(tellsOf({ pod: pod() }, rows)).toBe(
      'hosting pod velero/upload is not scheduled: 0/1 nodes are available: persistentvolumeclaim "upload" not found. The claim was deleted by somebody else: start again.',
    );
  });
});

describe('an Event of kubelet or attacher', () => {
  const attach = (message: string, at: string): Row => ({ reason: 'FailedAttachVolume', message, at });
  const mount = (message: string, at: string): Row => ({ reason: 'FailedMount', message, at });
  const unable =
    'Unable to attach or mount volumes: unmounted volumes=[u], unattached volumes=[], failed to process volumes=[]: timed out waiting for the condition';
  it('with a specific error counts before a later timeout', () => {
    const rows = [
      mount(
        'MountVolume.MountDevice failed for volume "pv" : rpc error: code = Internal desc = wrong fs type',
        '2026-11-21T14:00:05Z',
      ),
      mount(unable, '2026-11-21T14:02:05Z'),
    ];
    expect(tellsOf({ pod: starting }, rows)).toContain('cannot mount its volume: MountVolume.MountDevice failed');
  });
  it('with a timeout counts when there is no specific error', () => {
    expect(tellsOf({ pod: starting }, [mount(unable, '2026-11-21T14:02:05Z')])).toContain('unmounted volumes=[u]');
  });
  it('about attaching is ignored after the volume was attached', () => {
    const rows = [
      attach('Multi-Attach error for volume "pv"', '2026-11-21T14:00:05Z'),
      {
        reason: 'SuccessfulAttachVolume',
        message: 'AttachVolume.Attach succeeded for volume "pv"',
        at: '2026-11-21T14:00:05Z',
      },
      mount(unable, '2026-11-21T14:02:05Z'),
    ];
    expect(tellsOf({ pod: starting }, rows)).toContain('cannot mount its volume: Unable to attach or mount');
    expect(tellsOf({ pod: starting }, rows.slice(0, 2))).toContain('is being started');
  });
  it('about mounting is ignored after the container was created', () => {
    const rows = [
      mount(
        'MountVolume.SetUp failed for volume "kube-api-access" : failed to sync configmap cache',
        '2026-11-21T14:00:05Z',
      ),
      { reason: 'Pulled', message: 'Container image already present on machine', at: '2026-11-21T14:00:06Z' },
      { reason: 'Created', message: 'Created container: u', at: '2026-11-21T14:00:07Z' },
    ];
    expect(tellsOf({ pod: starting }, rows)).toContain('is being started');
  });
  it('about mounting is ignored when the container reports a waiting reason, because kubelet sets it only after mounting', () => {
    const late = mount(
      'MountVolume.SetUp failed for volume "kube-api-access" : failed to sync configmap cache',
      '2026-11-21T14:00:05Z',
    );
    const waiting = { reason: 'CreateContainerConfigError', message: 'secret "no-such-secret" not found' };
    const told = pod({ nodeName: 'node-1', status: { containerStatuses: [{ name: 'u', state: { waiting } }] } });
    expect(tellsOf({ pod: told }, [late])).toContain('CreateContainerConfigError: secret "no-such-secret"');
  });
  it('about mounting is ignored when a later sandbox error exists', () => {
    const rows = [
      mount('MountVolume.SetUp failed for volume "u" : timed out', '2026-11-21T14:00:05Z'),
      { reason: 'FailedCreatePodSandBox', message: 'no network for the sandbox', at: '2026-11-21T14:00:07Z' },
    ];
    expect(tellsOf({ pod: starting }, rows)).toContain('cannot start: no network for the sandbox');
  });
});

describe('an Event of the provisioner', () => {
  const claimRow = (reason: string, message: string, at: string): Row => ({
    kind: 'PersistentVolumeClaim',
    reason,
    message,
    at,
  });
  const full = 'failed to provision volume with StorageClass "lateen": rpc error: code = ResourceExhausted desc = full';
  it('is not hidden by later Events of the volume binder', () => {
    const rows = [
      claimRow(
        'WaitForFirstConsumer',
        'waiting for first consumer to be created before binding',
        '2026-11-21T14:00:00Z',
      ),
      claimRow(
        'Provisioning',
        'External provisioner is provisioning volume for claim "velero/upload"',
        '2026-11-21T14:00:01Z',
      ),
      claimRow('ProvisioningFailed', full, '2026-11-21T14:00:01Z'),
      claimRow(
        'ExternalProvisioning',
        "Waiting for a volume to be created either by the external provisioner 'csi.lateen.dev'",
        '2026-11-21T14:09:00Z',
      ),
    ];
    expect(tellsOf({ claim }, rows)).toContain('code = ResourceExhausted desc = full');
  });
  it('is ignored after provisioning succeeded and only binding is missing', () => {
    const rows = [
      claimRow('ProvisioningFailed', full, '2026-11-21T14:00:01Z'),
      claimRow('ProvisioningSucceeded', 'Successfully provisioned volume pvc-1', '2026-11-21T14:00:09Z'),
    ];
    expect(tellsOf({ claim }, rows)).toContain('has no volume yet');
  });
  it('about an earlier claim of the same name is ignored', () => {
    const rows = [{ ...claimRow('ProvisioningFailed', full, '2026-11-21T14:00:01Z'), uid: 'claim-0' }];
    expect(tellsOf({ claim }, rows)).toContain('no provisioner of csi.lateen.dev has started');
  });
});
