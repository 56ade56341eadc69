import {
  configMapType,
  namespaceType,
  nodeType,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  secretType,
} from '@lateen/api-types';
import { deleteNamespace, podName, podShell, waitForPod } from '@lateen/demo';
import type { ExposureSettings, PodVolumeAccess, PodVolumeExposeParam } from '@lateen/exposer';
import { systemClock, systemRandom } from '@lateen/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExposureRig, exposureRig } from './environment/exposure-rig.ts';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';

const signal = AbortSignal.any([]);
const suffix = systemRandom.suffix(5);
const namespace = `exposed-${suffix}`;
/** Path on the node; it has to be created, because a local PersistentVolume does not do that. */
const disk = `/var/lib/exposed-${suffix}`;

let lateen: LateenUnderTest;
let rig: ExposureRig;
let node: string;
let uid: string;

beforeAll(async () => {
  lateen = await lateenUnderTest();
  const { items } = await lateen.kube.list(nodeType);
  node = items[0]?.metadata.name ?? '';
  rig = await exposureRig(lateen, `${namespace}-movers`);
  await createWorkload();
  await waitForPod(lateen.kube, namespace, systemClock, systemClock.deadline(120_000));
  uid = (await lateen.kube.get(podType, { namespace, name: podName })).metadata.uid ?? '';
});
afterAll(async () => {
  await rig.close();
  await sh('rm -rf /on-node/*').catch(() => {});
  await deleteNamespace(lateen.kube, namespace, systemClock, signal);
  await lateen.kube.delete(persistentVolumeType, { name: namespace }).catch(() => {});
  await lateen.kube.close();
});

const sh = (script: string) => podShell({ ...lateen, namespace, pod: podName, signal }).run(['sh', '-euc', script]);

const onClaims = ['csi', 'local'];
const objects = { settings: 'configMap', password: 'secret', both: 'projected' };
const volumes = [...onClaims, 'scratch', 'ram', 'labels', ...Object.keys(objects)];

function aClaim(name: string, spec: Partial<PersistentVolumeClaim['spec']>): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } }, ...spec },
  };
}

/** Its StorageClass does not exist, as for many local volumes. */
const localVolume = (): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: namespace },
  spec: {
    capacity: { storage: '64Mi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: namespace,
    persistentVolumeReclaimPolicy: 'Retain',
    local: { path: disk },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] }],
      },
    },
  },
});

/** A pod with one volume of each type, with a file `mark` in each. */
async function createWorkload(): Promise<void> {
  const { kube, image, storageClass } = lateen;
  const metadata = { namespace };
  await kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await kube.create(persistentVolumeType, localVolume());
  await kube.create(persistentVolumeClaimType, aClaim('csi', { storageClassName: storageClass }));
  await kube.create(persistentVolumeClaimType, aClaim('local', { storageClassName: namespace, volumeName: namespace }));
  const data = { mark: 'settings' };
  await kube.create(configMapType, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...metadata, name: 'mark' },
    data,
  });
  const stringData = { mark: 'password' };
  await kube.create(secretType, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...metadata, name: 'mark' },
    stringData,
  });
  const written = [...onClaims, 'scratch', 'ram'];
  await kube.create(podType, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, name: podName, labels: { mark: 'labels' } },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': node },
      terminationGracePeriodSeconds: 0,
      initContainers: [
        {
          name: 'marks',
          image,
          imagePullPolicy: 'IfNotPresent',
          command: ['sh', '-euc', written.map((name) => `printf ${name} > /volumes/${name}/mark`).join('; ')],
          volumeMounts: written.map((name) => ({ name, mountPath: `/volumes/${name}` })),
        },
      ],
      containers: [
        {
          name: 'app',
          image,
          imagePullPolicy: 'IfNotPresent',
          command: ['sleep', 'infinity'],
          // Mounts only a folder of the volume; the volume is moved as a whole nevertheless.
          volumeMounts: [
            ...volumes.map((name) => ({ name, mountPath: `/volumes/${name}` })),
            { name: 'csi', mountPath: '/below', subPath: 'sub/path' },
            { name: 'on-node', mountPath: '/on-node' },
          ],
        },
      ],
      volumes: [
        ...onClaims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
        { name: 'scratch', emptyDir: {} },
        { name: 'ram', emptyDir: { medium: 'Memory' } },
        {
          name: 'labels',
          downwardAPI: { items: [{ path: 'mark', fieldRef: { fieldPath: "metadata.labels['mark']" } }] },
        },
        { name: 'settings', configMap: { name: 'mark' } },
        { name: 'password', secret: { secretName: 'mark' } },
        { name: 'both', projected: { sources: [{ configMap: { name: 'mark' } }] } },
        { name: 'on-node', hostPath: { path: disk, type: 'DirectoryOrCreate' } },
      ],
    },
  });
}

const param = (volume: string, more: Partial<PodVolumeExposeParam> = {}): PodVolumeExposeParam => ({
  direction: 'backup',
  pod: { namespace, name: podName, uid },
  volume,
  node,
  operationTimeout: '1m0s',
  ...more,
});
const settings = (access: PodVolumeAccess, kubeletDirectory = '/var/lib/kubelet'): ExposureSettings => ({
  podVolume: { access, kubeletDirectory },
});
const marks = Object.fromEntries(volumes.map((name) => [name, name === 'both' ? 'settings' : name]));

describe('volumes of a running pod, with a real kubelet', () => {
  it.each(volumes)('%s is at the expected directory, and is mounted read-only', async (volume) => {
    const { sh: inside, cleanUp } = await rig.expose(param(volume));
    try {
      expect(await inside('cat mark')).toBe(marks[volume]);
      await expect(inside('touch another')).rejects.toThrow(/Read-only file system/);
    } finally {
      await cleanUp();
    }
  });

  it.each(['csi', 'local', 'scratch'])('%s can be written, and the pod sees it', async (volume) => {
    const { sh: inside, cleanUp } = await rig.expose(param(volume, { direction: 'restore' }));
    try {
      await inside('printf restored > back; chown 1234:1234 back');
      expect(await sh(`stat -c %u /volumes/${volume}/back; cat /volumes/${volume}/back`)).toBe('1234\nrestored');
    } finally {
      await cleanUp();
    }
  });

  it.each(onClaims)(
    '%s is reached with a claim on a second PersistentVolume, under Pod Security "baseline"',
    async (volume) => {
      await rig.label({ 'pod-security.kubernetes.io/enforce': 'baseline' });
      const key = { namespace, name: volume };
      const claim = await lateen.kube.get(persistentVolumeClaimType, key);
      const volumeKey = { name: claim.spec.volumeName ?? '' };
      const before = [claim, await lateen.kube.get(persistentVolumeType, volumeKey)];

      const reading = await rig.expose(param(volume), settings('claim-only'));
      expect(JSON.stringify(reading.pod)).not.toContain('hostPath');
      expect(await reading.sh('cat mark')).toBe(volume);
      await expect(reading.sh('touch another')).rejects.toThrow(/Read-only file system/);
      await reading.cleanUp();

      const filling = await rig.expose(param(volume, { direction: 'restore' }), settings('claim-only'));
      await filling.sh('printf lent > lent');
      expect(await sh(`cat /volumes/${volume}/lent`)).toBe('lent');
      await filling.cleanUp();

      // Claim and volume of the pod are not deleted with the hosting pods.
      await sh(`printf after > /volumes/${volume}/after; sync`);
      expect(await rig.lent()).toEqual([]);
      expect([
        await lateen.kube.get(persistentVolumeClaimType, key),
        await lateen.kube.get(persistentVolumeType, volumeKey),
      ]).toEqual(before);
    },
  );

  it('is rejected with the solution when the namespace of movers denies hostPath volumes', async () => {
    await rig.label({ 'pod-security.kubernetes.io/enforce': 'baseline' });
    await expect(rig.expose(param('scratch'))).rejects.toMatchObject({
      code: 'KUBE_FORBIDDEN',
      message: expect.stringContaining('hostPath'),
      nextStep: expect.stringContaining('set podVolume.access to "claim-only"'),
    });
    await rig.label({ 'pod-security.kubernetes.io/enforce': 'privileged' });
  });

  it('is not found when the kubelet has another directory, and the error says so', async () => {
    const why = await rig.untilDiagnosed(
      param('scratch'),
      settings('host-path', '/var/lib/other'),
      /hostPath type check failed/,
    );
    expect(why).toContain(`/var/lib/other/pods/${uid}/volumes/kubernetes.io~empty-dir/scratch is not a directory`);
    expect(why).toContain('set podVolume.kubeletDirectory in the node-agent configuration');
  });

  it('fails with a clear error when the pod is gone', async () => {
    const gone = { namespace, name: podName, uid: 'another' };
    await expect(rig.expose(param('scratch', { pod: gone }))).rejects.toMatchObject({ code: 'EXPOSE_POD_GONE' });
  });
});
