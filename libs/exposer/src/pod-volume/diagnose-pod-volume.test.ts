import { eventType, podType } from '@lateen/api-types';
import { type KubeObject, kubeError } from '@lateen/kube';
import {
  aDaemonSet,
  aNode,
  aPersistentVolumeClaim,
  aPod,
  FakeClock,
  fakeCluster,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { podVolumeExposer } from '../pod-volume-exposer.ts';
import type { ExposureSettings } from '../settings/exposure-settings.ts';
import type { PodVolumeExposeParam } from './pod-volume-expose-param.ts';

const { signal } = new AbortController();
const owner = { apiVersion: 'velero.io/v1', kind: 'PodVolumeBackup', namespace: 'velero', name: 'pvb', uid: 'm-1' };
const mine = { namespace: 'velero', name: 'pvb', ownerReferences: [{ ...owner, controller: true }] };
const param: PodVolumeExposeParam = {
  direction: 'backup',
  pod: { namespace: 'app', name: 'db', uid: 'pod-1' },
  volume: 'scratch',
  node: 'node-1',
  operationTimeout: '10m0s',
};
const clientPod = aPod({
  namespace: 'app',
  name: 'db',
  uid: 'pod-1',
  nodeName: 'node-1',
  phase: 'Running',
  spec: {
    containers: [{ name: 'db', volumeMounts: [{ name: 'scratch', mountPath: '/s' }] }],
    volumes: [{ name: 'scratch', emptyDir: {} }],
  },
});
const hostingPod = aPod({ metadata: { ...mine, uid: 'mover' }, nodeName: 'node-1' });
const said = (kind: string, uid: string, reason: string, message: string) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { namespace: 'velero', name: reason.toLowerCase() },
  involvedObject: { kind, namespace: 'velero', name: 'pvb', uid },
  reason,
  type: 'Warning',
  message,
});
const notMounted = said(
  'Pod',
  'mover',
  'FailedMount',
  'MountVolume.SetUp failed for volume "m-1" : hostPath type check failed: /var/lib/kubelet/pods/pod-1/volumes/kubernetes.io~empty-dir/scratch is not a directory',
);

const setUp = (...objects: KubeObject[]) => setUpWith({}, ...objects);

function setUpWith(settings: ExposureSettings, ...objects: KubeObject[]) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [aDaemonSet(), aNode(), ...objects] });
  const exposer = podVolumeExposer({ kube: cluster, clock, random: seededRandom(1), log: recordingLog(), settings });
  return {
    cluster,
    expose: () => exposer.expose(owner, param, { signal }),
    diagnose: () => exposer.diagnose(owner, param, { signal }),
  };
}

describe('why a volume of a running pod cannot be exposed', () => {
  it('its directory does not exist at the expected path', async () => {
    const { cluster, diagnose } = setUp(clientPod, hostingPod, notMounted);
    expect(await diagnose()).toBe(
      'hosting pod velero/pvb cannot mount its volume: MountVolume.SetUp failed for volume "m-1" : hostPath type check failed: /var/lib/kubelet/pods/pod-1/volumes/kubernetes.io~empty-dir/scratch is not a directory. ' +
        'The node has no such directory for the pod: set podVolume.kubeletDirectory in the node-agent configuration to the root directory of its kubelet (--root-dir).',
    );
    expect(cluster.calls.length).toBeLessThanOrEqual(10);
  });

  it.each([
    ['/data/kubelet', '(--root-dir); by the mounts of the node-agent, that is /data/kubelet.'],
    // Of a file system that the node has mounted, or of the expected path.
    ['/', '(--root-dir).'],
    ['/lib/kubelet', '(--root-dir).'],
    ['/var/lib/kubelet', '(--root-dir).'],
  ])('the next step depends on the mounts that the agent sees: %s', async (seenDirectory, advice) => {
    const podVolume = { access: 'host-path' as const, kubeletDirectory: '/var/lib/kubelet', seenDirectory };
    const { diagnose } = setUpWith({ podVolume }, clientPod, hostingPod, notMounted);
    expect(await diagnose()).toContain(` ${advice}`);
  });

  it('its pod is gone, which is reported first', async () => {
    const { diagnose } = setUp(hostingPod, notMounted);
    expect(await diagnose()).toBe(
      'pod app/db does not exist any more. Start a new backup when the pod, or the one in its place, runs.',
    );
  });

  it('nothing is reported when pods may not be read', async () => {
    const { cluster, diagnose } = setUp(hostingPod);
    cluster.failTimes(9, 'get', podType, 'KUBE_FORBIDDEN').failTimes(9, 'list', eventType, 'KUBE_FORBIDDEN');
    expect(await diagnose()).toBeUndefined();
  });

  it('the storage allows only one pod to mount it', async () => {
    const words =
      'MountVolume.MountDevice failed for volume "lateen-m-1" : mount: /dev/sdb already mounted or mount point busy.';
    const { diagnose } = setUp(clientPod, hostingPod, said('Pod', 'mover', 'FailedMount', words));
    expect(await diagnose()).toContain('set podVolume.access to "host-path" in the node-agent configuration');
  });

  it('no controller binds the claim on the second PersistentVolume', async () => {
    const claim = aPersistentVolumeClaim({ metadata: mine, spec: { volumeName: 'lateen-m-1' } });
    const { diagnose } = setUp(clientPod, claim);
    expect(await diagnose()).toBe(
      'PersistentVolumeClaim velero/pvb is not bound yet to PersistentVolume lateen-m-1, which it names. Check that kube-controller-manager runs: its volume binder binds them.',
    );
  });

  it('nothing is reported while the pod is being started', async () => {
    const { diagnose } = setUp(clientPod, hostingPod);
    expect(await diagnose()).toBe(
      'hosting pod velero/pvb is being started on node node-1. Check the kubelet and the CSI driver of node node-1 if this takes long.',
    );
  });
});

describe('a hosting pod that the API server rejects', () => {
  const baseline = 'pods "pvb" is forbidden: violates PodSecurity "baseline:latest": ';
  it.each([
    [
      'because of its host path',
      `${baseline}hostPath volumes (volume "m-1")`,
      'Movers of pod volumes mount a directory of their node: label their namespace pod-security.kubernetes.io/enforce=privileged, or set podVolume.access to "claim-only" in the node-agent configuration.',
    ],
    [
      'because of its privileges',
      `${baseline}privileged (container "m-1" must not set securityContext.privileged=true)`,
      'Label the namespace of data movers pod-security.kubernetes.io/enforce=privileged, or remove privilegedFsBackup from the node-agent configuration.',
    ],
    [
      'because of the quota of the namespace',
      'pods "pvb" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=10, limited: pods=10',
      'Raise ResourceQuota compute, or delete objects that it counts.',
    ],
  ])('%s reports the next step, at once and while waiting', async (_, message, nextStep) => {
    const { cluster, expose, diagnose } = setUp(clientPod);
    cluster.intercept((call, next) => {
      if (call.verb === 'create' && call.type.kind === 'Pod') throw kubeError('KUBE_FORBIDDEN', message);
      return next();
    });
    await expect(expose()).rejects.toMatchObject({ code: 'KUBE_FORBIDDEN', message, nextStep });
    expect(await diagnose()).toBe(`${message}. ${nextStep}`);
  });
});
