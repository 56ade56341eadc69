import { aDaemonSet, aPersistentVolumeClaim, aPod, aVolumeSnapshot, aVolumeSnapshotContent } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { backupPod, type ChangesToAsk } from './backup-pod.ts';
import { backupSnapshot, backupSnapshotContent, backupVolumeClaim } from './backup-volume.ts';
import { inheritedPodConfig } from './inherited-pod-config.ts';
import { podVolumePod } from './pod-volume-pod.ts';
import { restorePod } from './restore-pod.ts';
import { restoreVolumeClaim } from './restore-volume.ts';

/*
 * Golden files: the objects in the cluster, byte for byte. They run with root rights in users' clusters: rewrite the files
 * with `vitest run -u` and review the difference like code.
 */
const golden = (name: string) => `testdata/${name}.json`;
const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const upload = {
  apiVersion: 'velero.io/v2alpha1',
  kind: 'DataUpload',
  namespace: 'velero',
  name: 'backup-1-x2x4p',
  uid: 'u-1',
};
const download = { ...upload, kind: 'DataDownload', name: 'restore-1-k8k2m', uid: 'd-1' };

/** The template of deploy/base/node-agent, with all fields that must be inherited and all that must not. */
const agent = aDaemonSet({
  spec: {
    template: {
      metadata: {
        labels: { name: 'node-agent', 'azure.workload.identity/use': 'true' },
        annotations: { 'iam.amazonaws.com/role': 'mover', 'prometheus.io/scrape': 'true' },
      },
      spec: {
        serviceAccountName: 'node-agent',
        dnsPolicy: 'ClusterFirst',
        imagePullSecrets: [{ name: 'registry' }],
        hostNetwork: true,
        nodeSelector: { 'kubernetes.io/os': 'linux' },
        tolerations: [{ operator: 'Exists' }, { key: 'CriticalAddonsOnly', operator: 'Exists' }],
        securityContext: { runAsUser: 1000, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            name: 'node-agent',
            image: 'localhost/lateen:dev',
            imagePullPolicy: 'IfNotPresent',
            command: ['lateen-node-agent'],
            args: ['--log-level', 'debug', '--log-format=json', '--concurrency=4'],
            env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
            envFrom: [{ secretRef: { name: 'extra' } }],
            ports: [{ name: 'metrics', containerPort: 8085 }],
            resources: { limits: { memory: '512Mi' } },
            securityContext: {
              privileged: true,
              runAsNonRoot: true,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'], add: ['CHOWN'] },
            },
            volumeMounts: [
              { name: 'scratch', mountPath: '/scratch' },
              { name: 'host-pods', mountPath: '/host_pods', mountPropagation: 'HostToContainer' },
            ],
          },
        ],
        volumes: [
          { name: 'scratch', emptyDir: {} },
          { name: 'host-pods', hostPath: { path: '/var/lib/kubelet/pods' } },
        ],
      },
    },
  },
});
const inherited = inheritedPodConfig(agent);
const plain = { storageClass: 'lateen', readOnly: false, spcNoRelabeling: false, annotations: {} };
const backup = { owner: upload, inherited, nodeTerms: [], plan: plain, settings: {} };
const restore = { owner: download, inherited, nodeTerms: [], cacheVolume: false, settings: {} };
const ofPod = {
  inherited,
  clientPod: aPod({
    spec: {
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
      securityContext: { runAsUser: 999, seLinuxOptions: { level: 's0:c1,c2' } },
    },
  }),
  cacheVolume: false,
  settings: {},
};
const podVolumeParam = {
  pod: { namespace: 'app', name: 'db', uid: 'p-1' },
  volume: 'data',
  node: 'node-2',
  operationTimeout: '10m0s',
};
const zone = [{ matchExpressions: [{ key: 'topology.lateen.dev/node', operator: 'In' as const, values: ['node-1'] }] }];

describe('hosting pods', () => {
  it('a backup pod inherits from the node-agent, runs as root but not privileged, and mounts its volume', async () => {
    const pod = backupPod({
      ...backup,
      volumeMode: 'Filesystem',
      nodeTerms: zone,
      operationTimeout: '10m0s',
    });
    await expect(text(pod)).toMatchFileSnapshot(golden('backup-pod'));
  });
  it('a backup pod in block mode gets a device and no mount', async () => {
    const pod = backupPod({
      ...backup,
      volumeMode: 'Block',
      operationTimeout: '90s',
      resources: { requests: { cpu: '500m' }, limits: { memory: '1Gi' } },
    });
    await expect(text(pod)).toMatchFileSnapshot(golden('backup-pod-block'));
  });
  it('a backup pod that reads changes gets the snapshot, the service account, and only the known IDs', () => {
    const changes = { serviceAccount: 'node-agent', snapshot: upload.name, volumeHandle: 'vol-1', claimUid: 'c-1' };
    const block = { ...backup, volumeMode: 'Block' as const, operationTimeout: '90s' };
    const argsOf = (given: typeof block & { changes?: ChangesToAsk }) =>
      backupPod(given).spec.containers[0]?.args ?? [];
    const added = (given: ChangesToAsk) =>
      argsOf({ ...block, changes: given }).filter((arg) => !argsOf(block).includes(arg));
    expect(added(changes)).toEqual([
      '--cbt-sa-name=node-agent',
      '--snapshot-id=backup-1-x2x4p',
      '--volume-id=vol-1',
      '--claim-uid=c-1',
    ]);
    expect(added({ ...changes, volumeHandle: undefined, claimUid: undefined })).toHaveLength(2);
  });
  it('a restore pod runs only on the node of the target’s consumer', async () => {
    const pod = restorePod({
      ...restore,
      volumeMode: 'Filesystem',
      selectedNode: 'node-2',
      operationTimeout: '10m0s',
    });
    await expect(text(pod)).toMatchFileSnapshot(golden('restore-pod-selected-node'));
  });
  it('a restore pod without a selected node excludes Windows', () => {
    const pod = restorePod({
      ...restore,
      volumeMode: 'Filesystem',
      selectedNode: undefined,
      operationTimeout: '10m0s',
    });
    expect(pod.spec.nodeSelector).toBeUndefined();
    expect(pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms).toEqual([
      { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'NotIn', values: ['windows'] }] },
    ]);
  });
  it('a pod for a pod volume runs on the node of that pod and mounts only its directory', async () => {
    const owner = { ...upload, apiVersion: 'velero.io/v1', kind: 'PodVolumeBackup', uid: 'p-b-1' };
    const pod = podVolumePod({
      ...ofPod,
      owner,
      param: { ...podVolumeParam, direction: 'backup' },
      hostPath: '/var/lib/kubelet/pods/p-1/volumes/kubernetes.io~csi/pv-1/mount',
    });
    await expect(text(pod)).toMatchFileSnapshot(golden('pod-volume-backup-pod'));
  });
  it('a pod that restores a pod volume has a cache volume, and privileges only if the installation wants them', async () => {
    const owner = { ...download, apiVersion: 'velero.io/v1', kind: 'PodVolumeRestore', uid: 'p-r-1' };
    const pod = podVolumePod({
      ...ofPod,
      owner,
      param: { ...podVolumeParam, direction: 'restore' },
      hostPath: '/var/lib/kubelet/pods/p-1/volumes/kubernetes.io~empty-dir/data',
      resources: { limits: { memory: '1Gi' } },
      cacheVolume: true,
      settings: { privilegedFsBackup: true },
    });
    await expect(text(pod)).toMatchFileSnapshot(golden('pod-volume-restore-pod-privileged'));
  });
  it.each([
    ['backup', backupPod({ ...backup, volumeMode: 'Filesystem', operationTimeout: '1m' })],
    ['restore', restorePod({ ...restore, volumeMode: 'Block', selectedNode: 'n', operationTimeout: '1m' })],
  ])('a %s pod is never privileged and has no host path', (_, pod) => {
    const everything = JSON.stringify(pod);
    expect(everything).not.toContain('privileged');
    expect(everything).not.toContain('hostPath');
    expect(everything).not.toContain('host_pods');
    expect(pod.spec.hostNetwork).toBeUndefined();
    expect(pod.spec.securityContext?.runAsUser).toBe(0);
    expect(everything).not.toContain('runAsNonRoot');
  });
  it('a label value that is too long is shortened, but the name is not', () => {
    const name = 'a'.repeat(80);
    const pod = backupPod({
      ...backup,
      owner: { ...upload, name },
      volumeMode: 'Filesystem',
      operationTimeout: '1m',
    });
    expect(pod.metadata.name).toBe(name);
    expect(pod.metadata.labels?.['velero.io/data-upload']).toHaveLength(63);
  });
});

describe('volumes and snapshots', () => {
  it("the snapshot is created again in Lateen's namespace with the same handle, to be deleted with the exposure", async () => {
    const content = aVolumeSnapshotContent({
      labels: { 'snapshot.storage.kubernetes.io/managed-by': 'node-1', other: 'x' },
      annotations: {
        'snapshot.storage.kubernetes.io/deletion-secret-name': 's',
        'snapshot.storage.kubernetes.io/volumesnapshot-being-created': 'yes',
      },
      spec: { deletionPolicy: 'Retain' },
    });
    const made = {
      content: backupSnapshotContent(upload, { snapshot: aVolumeSnapshot(), content }),
      snapshot: backupSnapshot(upload, aVolumeSnapshot({ annotations: { note: 'kept' } })),
      claim: backupVolumeClaim({
        owner: upload,
        plan: plain,
        volumeMode: 'Filesystem',
        size: '1Gi',
        selectedNode: 'node-1',
      }),
    };
    await expect(text(made)).toMatchFileSnapshot(golden('backup-volume'));
  });
  it('content without a handle is not ready yet, which is not a failure', () => {
    const content = aVolumeSnapshotContent({ status: { snapshotHandle: undefined as never } });
    expect(() => backupSnapshotContent(upload, { snapshot: aVolumeSnapshot(), content })).toThrow(
      expect.objectContaining({ retry: 'later' }),
    );
  });
  it('the restore claim equals its target without the selector, and without the annotations when a node is selected', async () => {
    const target = aPersistentVolumeClaim({
      labels: { app: 'db' },
      annotations: {
        note: 'kept',
        'pv.kubernetes.io/bind-completed': 'yes',
        'volume.kubernetes.io/selected-node': 'old',
      },
      spec: {
        selector: { matchLabels: { 'velero.io/dynamic-pv-restore': 'app.data.x' } },
        volumeAttributesClassName: 'gold',
      },
    });
    const made = {
      waiting: restoreVolumeClaim(download, target, 'node-2'),
      immediate: restoreVolumeClaim(download, target, undefined),
    };
    await expect(text(made)).toMatchFileSnapshot(golden('restore-volume'));
  });
});

describe('inherited settings', () => {
  it('a template with two containers is rejected with the next step', () => {
    const two = structuredClone(agent);
    two.spec.template.spec.containers.push({ name: 'sidecar' });
    expect(() => inheritedPodConfig(two)).toThrow(
      expect.objectContaining({ code: 'EXPOSE_NODE_AGENT_SHAPE', message: expect.stringContaining('2 containers') }),
    );
  });
  it('log flags are inherited in both spellings, other arguments are not', () => {
    expect(inherited.logArgs).toEqual(['--log-level=debug', '--log-format=json']);
  });
  it('a last flag without a value is dropped', () => {
    const cut = structuredClone(agent);
    cut.spec.template.spec.containers = [{ name: 'a', args: ['--log-level'] }];
    expect(inheritedPodConfig(cut).logArgs).toEqual([]);
  });
});
