import {
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
} from '@lateen/api-types';
import { type KubeObject, keyOf } from '@lateen/kube';
import {
  aDaemonSet,
  aPersistentVolume,
  aPersistentVolumeClaim,
  aPod,
  FakeClock,
  fakeCluster,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { podVolumeExposer } from '../pod-volume-exposer.ts';
import type { ExposureSettings, PodVolumeAccess } from '../settings/exposure-settings.ts';
import type { PodVolumeExposeParam } from './pod-volume-expose-param.ts';

const signal = AbortSignal.any([]);
const key = { namespace: 'velero', name: 'pv-move' };
const cacheKey = { namespace: 'velero', name: 'pv-move-cache' };
const ownerOf = ({ direction }: PodVolumeExposeParam) => ({
  apiVersion: 'velero.io/v1',
  kind: direction === 'backup' ? 'PodVolumeBackup' : 'PodVolumeRestore',
  ...key,
  uid: 'm-1',
});
const backup: PodVolumeExposeParam = {
  direction: 'backup',
  pod: { namespace: 'app', name: 'db', uid: 'pod-1' },
  volume: 'data',
  node: 'node-1',
  operationTimeout: '10m0s',
};
const restore: PodVolumeExposeParam = { ...backup, direction: 'restore' };

const claim = aPersistentVolumeClaim({ namespace: 'app', name: 'data', uid: 'c-1', volumeName: 'pv-data' });
const volume = aPersistentVolume({ claim: { namespace: 'app', name: 'data', uid: 'c-1' } });
const clientPod = (more: { spec?: object; status?: object } = {}) =>
  aPod({
    namespace: 'app',
    name: 'db',
    uid: 'pod-1',
    nodeName: 'node-1',
    phase: 'Running',
    ...(more.status === undefined ? {} : { status: more.status }),
    spec: {
      containers: [{ name: 'db', volumeMounts: ['data', 'scratch'].map((name) => ({ name, mountPath: `/${name}` })) }],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'scratch', emptyDir: {} },
        { name: 'unused', emptyDir: {} },
      ],
      ...more.spec,
    },
  });

interface Given {
  settings?: ExposureSettings;
  objects?: readonly KubeObject[];
}

function setUp({ settings = {}, objects = [claim, volume, clientPod()] }: Given = {}) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [aDaemonSet(), ...objects] });
  const bind = (made: KubeObject) =>
    cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, keyOf(made), (each) => {
      each.status = { phase: 'Bound' };
    });
  cluster.intercept(async (call, next) => {
    const answer = await next();
    if (call.verb === 'create' && call.type.kind === 'PersistentVolumeClaim') bind(answer as KubeObject);
    return answer;
  });
  const exposer = podVolumeExposer({ kube: cluster, clock, random: seededRandom(1), log: recordingLog(), settings });
  return {
    cluster,
    bind,
    expose: (param: PodVolumeExposeParam) => exposer.expose(ownerOf(param), param, { signal }),
    cleanUp: (param: PodVolumeExposeParam) => exposer.cleanUp(ownerOf(param), param, { signal }),
    pod: () => cluster.find(podType, key),
    hostPath: () => cluster.find(podType, key)?.spec.volumes?.find(({ name }) => name === 'm-1')?.hostPath,
    mount: () => cluster.find(podType, key)?.spec.containers[0]?.volumeMounts?.find(({ name }) => name === 'm-1'),
  };
}

describe('a volume of a running pod', () => {
  it('is read by a pod on the same node that sees only its directory of the node', async () => {
    const { expose, pod, hostPath, mount } = setUp();
    await expose(backup);
    const path = '/var/lib/kubelet/pods/pod-1/volumes/kubernetes.io~csi/pv-data/mount';
    expect(hostPath()).toEqual({ path, type: 'Directory' });
    expect(mount()).toEqual({ name: 'm-1', mountPath: '/m-1', readOnly: true, mountPropagation: 'HostToContainer' });
    expect(pod()?.spec.volumes?.filter((each) => each.hostPath !== undefined)).toHaveLength(1);
    expect(pod()?.spec.nodeName).toBe('node-1');
    expect(pod()?.spec.containers[0]?.args).toEqual([
      'pod-volume',
      'backup',
      '--volume-path=/m-1',
      '--pod-volume-backup=pv-move',
      '--resource-timeout=10m0s',
    ]);
    expect(pod()?.metadata.labels).toMatchObject({
      'velero.io/pod-volume-backup': 'pv-move',
      'velero.io/exposer-pod-group': 'pod-volume-exposer',
    });
  });

  it('is restored by a pod that may write', async () => {
    const { expose, pod, mount } = setUp();
    await expose(restore);
    expect(mount()).toEqual({ name: 'm-1', mountPath: '/m-1', mountPropagation: 'HostToContainer' });
    expect(pod()?.spec.containers[0]?.args?.slice(0, 4)).toEqual([
      'pod-volume',
      'restore',
      '--volume-path=/m-1',
      '--pod-volume-restore=pv-move',
    ]);
  });

  it('is found below the configured root directory of the kubelets', async () => {
    const podVolume = { access: 'host-path', kubeletDirectory: '/mnt/kubelet' } as const;
    const { expose, hostPath } = setUp({ settings: { podVolume } });
    await expose({ ...backup, volume: 'scratch' });
    expect(hostPath()?.path).toBe('/mnt/kubelet/pods/pod-1/volumes/kubernetes.io~empty-dir/scratch');
  });

  it('is exposed on a tainted node with the tolerations and SELinux level of its pod', async () => {
    const tolerations = [{ key: 'dedicated', operator: 'Exists' as const, effect: 'NoExecute' as const }];
    const securityContext = { seLinuxOptions: { level: 's0:c26,c5' }, fsGroup: 5 };
    const { expose, pod } = setUp({ objects: [claim, volume, clientPod({ spec: { tolerations, securityContext } })] });
    await expose(backup);
    expect(pod()?.spec.tolerations).toEqual(tolerations);
    expect(pod()?.spec.securityContext).toEqual({ runAsUser: 0, seLinuxOptions: { level: 's0:c26,c5' } });
  });

  it('is read by a privileged container only when the installation says so', async () => {
    const plain = setUp();
    await plain.expose(backup);
    expect(JSON.stringify(plain.pod())).not.toContain('privileged');
    const privileged = setUp({ settings: { privilegedFsBackup: true } });
    await privileged.expose(backup);
    expect(privileged.pod()?.spec.containers[0]?.securityContext).toEqual({ privileged: true });
  });

  it('is moved with the resources of its claim, its class or the installation', async () => {
    const annotated = {
      ...claim,
      metadata: { ...claim.metadata, annotations: { 'lateen.dev/pod-resources': '{"memoryLimit":"1Gi"}' } },
    };
    const settings: ExposureSettings = { podResources: { limits: { cpu: '1' } } };
    const { expose, pod } = setUp({ settings, objects: [annotated, volume, clientPod()] });
    await expose(backup);
    expect(pod()?.spec.containers[0]?.resources?.limits).toMatchObject({ memory: '1Gi' });
    const other = setUp({ settings });
    await other.expose({ ...backup, volume: 'scratch' });
    expect(other.pod()?.spec.containers[0]?.resources).toEqual({ limits: { cpu: '1' } });
  });

  it('is exposed once: a repeated call uses the existing pod', async () => {
    const { cluster, expose, pod } = setUp();
    await expose(backup);
    const { uid } = pod()?.metadata ?? {};
    await expose(backup);
    expect(pod()?.metadata.uid).toBe(uid);
    expect(cluster.calls.filter(({ verb }) => verb === 'delete')).toEqual([]);
  });
});

describe('a volume of a claim with access by claim', () => {
  const access = (access: PodVolumeAccess): Given => ({
    settings: { podVolume: { access, kubeletDirectory: '/var/lib/kubelet' } },
  });
  const copyKey = { name: 'lateen-m-1' };

  it.each([
    [backup, { claimName: 'pv-move', readOnly: true }, { name: 'm-1', mountPath: '/m-1', readOnly: true }],
    [restore, { claimName: 'pv-move' }, { name: 'm-1', mountPath: '/m-1' }],
  ])(
    '$direction: is mounted on the same node through a second PersistentVolume, without a host path',
    async (param, on, at) => {
      const { cluster, expose, pod, mount } = setUp(access('claim'));
      await expose(param);
      expect(pod()?.spec.volumes).toContainEqual({ name: 'm-1', persistentVolumeClaim: on });
      expect(mount()).toEqual(at);
      expect(JSON.stringify(pod())).not.toContain('hostPath');
      expect(pod()?.spec.nodeName).toBe('node-1');
      expect(cluster.find(persistentVolumeClaimType, key)?.spec).toMatchObject({ volumeName: 'lateen-m-1' });
      expect(cluster.find(persistentVolumeType, copyKey)).toMatchObject({
        metadata: { labels: { 'lateen.dev/lent-to': 'm-1' } },
        spec: { persistentVolumeReclaimPolicy: 'Retain', csi: volume.spec.csi, claimRef: key },
      });
    },
  );

  it('is unchanged after cleanup of everything that was created for it', async () => {
    const { cluster, expose, cleanUp, pod } = setUp(access('claim'));
    const before = [
      cluster.find(persistentVolumeType, keyOf(volume)),
      cluster.find(persistentVolumeClaimType, keyOf(claim)),
    ];
    await expose(backup);
    await cleanUp(backup);
    expect(pod()).toBeUndefined();
    expect(cluster.find(persistentVolumeClaimType, key)).toBeUndefined();
    expect(cluster.find(persistentVolumeType, copyKey)).toBeUndefined();
    expect([
      cluster.find(persistentVolumeType, keyOf(volume)),
      cluster.find(persistentVolumeClaimType, keyOf(claim)),
    ]).toEqual(before);
  });

  it('is cleaned up by an agent that was restarted with another access mode', async () => {
    const { cluster, expose } = setUp(access('claim'));
    await expose(backup);
    const clock = new FakeClock();
    const ports = { kube: cluster, clock, random: seededRandom(1), log: recordingLog() };
    await podVolumeExposer(ports).cleanUp(ownerOf(backup), backup, { signal });
    expect(cluster.find(persistentVolumeType, copyKey)).toBeUndefined();
  });

  it('does not apply to an emptyDir, which is exposed by its directory', async () => {
    const { expose, hostPath } = setUp(access('claim'));
    await expose({ ...backup, volume: 'scratch' });
    expect(hostPath()?.path).toContain('kubernetes.io~empty-dir/scratch');
  });

  const ofOnePod = { ...claim, spec: { ...claim.spec, accessModes: ['ReadWriteOncePod' as const] } };
  it('does not apply to a ReadWriteOncePod volume', async () => {
    const { expose, hostPath } = setUp({ ...access('claim'), objects: [ofOnePod, volume, clientPod()] });
    await expose(backup);
    expect(hostPath()?.path).toContain('kubernetes.io~csi/pv-data/mount');
  });

  it.each([
    ['scratch', claim, 'it is on none'],
    ['data', ofOnePod, 'its access mode is ReadWriteOncePod'],
  ])('volume %s is rejected with access claim-only', async (name, its, why) => {
    const { cluster, expose } = setUp({ ...access('claim-only'), objects: [its, volume, clientPod()] });
    await expect(expose({ ...backup, volume: name })).rejects.toMatchObject({
      code: 'EXPOSE_NO_CLAIM_ACCESS',
      message: `volume "${name}" of pod app/db cannot be reached by a claim: ${why}`,
      nextStep: expect.stringContaining('podVolume.access'),
    });
    expect(cluster.find(podType, key)).toBeUndefined();
  });

  const { csi: _, ...ofNoType } = volume.spec;
  const onHost = { ...volume, spec: { ...ofNoType, hostPath: { path: '/data' } } };
  it.each(['host-path', 'claim', 'claim-only'] as const)(
    'applies to a hostPath PersistentVolume with any access mode: %s',
    async (wanted) => {
      const { expose, pod } = setUp({ ...access(wanted), objects: [claim, onHost, clientPod()] });
      await expose(backup);
      expect(pod()?.spec.volumes).toContainEqual(expect.objectContaining({ persistentVolumeClaim: expect.anything() }));
      expect(JSON.stringify(pod()?.spec.volumes)).not.toContain('hostPath');
    },
  );

  it('does not apply to a ReadWriteOncePod hostPath PersistentVolume, which is rejected', async () => {
    const { expose } = setUp({ objects: [ofOnePod, onHost, clientPod()] });
    await expect(expose(backup)).rejects.toMatchObject({
      code: 'EXPOSE_NO_KUBELET_PATH',
      nextStep: expect.stringContaining('ReadWriteOncePod'),
    });
  });
});

describe('the cache of a restore', () => {
  const cachePVC = { storageClass: 'cache', waitsForConsumer: true, residentThresholdInMB: 100, limitMB: 5000 };
  it('is created on the node of the pod, before the mover, and deleted with it', async () => {
    const { cluster, expose, cleanUp, pod } = setUp({ settings: { cachePVC } });
    await expose({ ...restore, dataBytes: 2 ** 40 });
    const made = cluster.calls.filter(({ verb }) => verb === 'create').map(({ type }) => type.kind);
    expect(made).toEqual(['PersistentVolumeClaim', 'Pod']);
    expect(cluster.find(persistentVolumeClaimType, cacheKey)?.metadata.annotations).toEqual({
      'volume.kubernetes.io/selected-node': 'node-1',
    });
    expect(pod()?.spec.containers[0]?.args).toContain('--cache-volume-path=/cachedir');
    await cleanUp(restore);
    expect(pod()).toBeUndefined();
    expect(cluster.find(persistentVolumeClaimType, cacheKey)).toBeUndefined();
    expect(cluster.find(persistentVolumeClaimType, keyOf(claim))).toBeDefined();
  });
  it('is created only for restores above the threshold', async () => {
    for (const param of [backup, { ...restore, dataBytes: 5 }]) {
      const { cluster, expose } = setUp({ settings: { cachePVC } });
      await expose(param);
      expect(cluster.find(persistentVolumeClaimType, cacheKey)).toBeUndefined();
    }
  });
});

describe('a volume that cannot be exposed', () => {
  const block = aPersistentVolume({ claim: { namespace: 'app', name: 'data' }, spec: { volumeMode: 'Block' } });
  const gone = (pod: KubeObject) => ({ objects: [claim, volume, pod] });
  it.each<[string, Given, PodVolumeExposeParam, string, string]>([
    ['a deleted pod', { objects: [] }, backup, 'EXPOSE_POD_GONE', 'pod app/db does not exist any more'],
    [
      'another pod of the same name',
      {},
      { ...backup, pod: { ...backup.pod, uid: 'pod-0' } },
      'EXPOSE_POD_GONE',
      'pod app/db is another one now, with uid pod-1',
    ],
    [
      'a pod on another node',
      {},
      { ...backup, node: 'node-2' },
      'EXPOSE_POD_ELSEWHERE',
      'pod app/db is on node node-1 and not on node node-2',
    ],
    [
      'a pod without a node',
      gone(clientPod({ spec: { nodeName: '' } })),
      restore,
      'EXPOSE_POD_ELSEWHERE',
      'pod app/db is on no node and not on node node-1',
    ],
    [
      'a pod that has ended',
      gone(clientPod({ status: { phase: 'Succeeded' } })),
      backup,
      'EXPOSE_POD_ENDED',
      'pod app/db has ended (Succeeded), its volumes are not mounted any more',
    ],
    [
      'a volume that the pod does not have',
      {},
      { ...backup, volume: 'dta' },
      'EXPOSE_NO_SUCH_VOLUME',
      'pod app/db has no volume "dta"',
    ],
    [
      'a volume that no container mounts',
      {},
      { ...backup, volume: 'unused' },
      'EXPOSE_VOLUME_NOT_MOUNTED',
      'volume "unused" of pod app/db is mounted by none of its containers',
    ],
    [
      'a claim without a volume',
      { objects: [aPersistentVolumeClaim({ namespace: 'app', name: 'data' }), clientPod()] },
      backup,
      'EXPOSE_NO_VOLUME',
      'PersistentVolumeClaim app/data has no volume',
    ],
    [
      'a block device',
      {
        objects: [
          claim,
          block,
          clientPod({ spec: { containers: [{ name: 'db', volumeDevices: [{ name: 'data' }] }] } }),
        ],
      },
      backup,
      'EXPOSE_BLOCK_VOLUME',
      'volume "data" of pod app/db is a block device, which has no files',
    ],
    [
      'a pod on Windows',
      gone(clientPod({ spec: { os: { name: 'windows' } } })),
      backup,
      'EXPOSE_WINDOWS',
      'pod app/db needs a data mover on Windows, and there is none',
    ],
  ])('%s: the error names it and the next step', async (_, given, param, code, message) => {
    const { cluster, expose } = setUp(given);
    await expect(expose(param)).rejects.toMatchObject({ code, message, nextStep: expect.stringMatching(/\w/) });
    expect(cluster.calls.filter(({ verb }) => verb === 'create')).toEqual([]);
  });
});

describe('an agent that dies during a call', () => {
  const settings: ExposureSettings = {
    podVolume: { access: 'claim', kubeletDirectory: '/var/lib/kubelet' },
    cachePVC: { storageClass: 'cache', waitsForConsumer: false, residentThresholdInMB: 0, limitMB: 5000 },
  };
  const died = new Error('the agent has died');
  const isWrite = (verb: string) => ['create', 'update', 'patch', 'delete'].includes(verb);
  /** Only the objects of the workload. */
  const left = ({ cluster }: ReturnType<typeof setUp>) =>
    [podType, persistentVolumeClaimType, persistentVolumeType].flatMap((type) =>
      cluster.all<KubeObject>(type).map(({ metadata }) => metadata.name),
    );

  it.each([1, 2, 3, 4])('after write %i: the next call continues, and cleanup leaves nothing', async (nth) => {
    const world = setUp({ settings });
    let writes = 0;
    world.cluster.intercept(async (call, next) => {
      const answer = await next();
      if (isWrite(call.verb) && ++writes === nth) throw died;
      return answer;
    });
    await expect(world.expose(restore)).rejects.toBe(died);
    world.cluster.all<KubeObject>(persistentVolumeClaimType, 'velero').forEach(world.bind);
    await world.expose(restore);
    expect(world.pod()?.spec.volumes).toContainEqual({ name: 'm-1', persistentVolumeClaim: { claimName: 'pv-move' } });
    await world.cleanUp(restore);
    expect(left(world)).toEqual(['db', 'data', 'pv-data']);
  });

  it.each([1, 2, 3, 4])('after write %i of the cleanup: the next cleanup removes the rest', async (nth) => {
    const world = setUp({ settings });
    await world.expose(restore);
    let writes = 0;
    world.cluster.intercept((call, next) => {
      if (isWrite(call.verb) && ++writes === nth) throw died;
      return next();
    });
    await expect(world.cleanUp(restore)).rejects.toMatchObject({ code: 'CLEAN_UP_INCOMPLETE' });
    await world.cleanUp(restore);
    expect(left(world)).toEqual(['db', 'data', 'pv-data']);
  });
});
