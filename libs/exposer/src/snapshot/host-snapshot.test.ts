import {
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  podType,
  volumeAttachmentType,
} from '@lateen/api-types';
import { type KubeObject, keyOf } from '@lateen/kube';
import {
  aDaemonSet,
  aDataUpload,
  aNode,
  aPersistentVolume,
  aPersistentVolumeClaim,
  aSecret,
  aStorageClass,
  aVolumeSnapshot,
  FakeClock,
  fakeCluster,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { ExposeOwner } from '../owner.ts';
import type { ExposureSettings } from '../settings/exposure-settings.ts';
import { inheritedPodConfig } from '../specs/inherited-pod-config.ts';
import { hostSnapshot, type SnapshotToHost } from './host-snapshot.ts';

const owner = { apiVersion: 'velero.io/v2alpha1', kind: 'DataUpload', namespace: 'velero', name: 'upload', uid: 'u-1' };
const key = { namespace: 'velero', name: 'upload' };
/** The owner must exist: otherwise the objects that it owns would be garbage collected. */
const upload = aDataUpload({ namespace: 'velero', name: 'upload', uid: 'u-1' });
const signal = AbortSignal.any([]);
const sourceClass = aStorageClass({ name: 'fast' });
const waitingClass = aStorageClass({ name: 'fast', volumeBindingMode: 'WaitForFirstConsumer' });
const onNode1 = [
  { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In' as const, values: ['node-1'] }] },
];
const source = (annotations: Record<string, string> = {}) =>
  aPersistentVolumeClaim({ annotations, volumeName: 'pv-data', spec: { storageClassName: 'fast' } });

const hosting = (more: Partial<SnapshotToHost['volume']> = {}): SnapshotToHost => ({
  param: {
    sourceNamespace: 'app',
    sourceClaim: 'data',
    volumeSnapshot: 'snapshot',
    storageClass: 'fast',
    operationTimeout: '10m0s',
    operationTimeoutMs: 600_000,
  },
  volume: { storageClass: sourceClass, claim: source(), volume: undefined, ...more },
  inherited: inheritedPodConfig(aDaemonSet()),
  snapshot: aVolumeSnapshot({ status: { readyToUse: true, restoreSize: '1Gi' } }),
  sourceVolumeMode: undefined,
  from: { volumeHandle: 'handle-pv-data' },
});

/** Runs it on a cluster whose storage binds each claim that can be bound before the pod exists. */
async function hosted(settings: ExposureSettings, given = hosting(), objects: readonly KubeObject[] = []) {
  const clock = new FakeClock();
  const cluster = fakeCluster({
    clock,
    objects: [upload, aNode({ name: 'node-1' }), aNode({ name: 'node-2' }), ...objects],
  });
  cluster.intercept(async (call, next) => {
    const answer = await next();
    if (call.verb === 'create' && call.type.kind === 'PersistentVolumeClaim')
      cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, keyOf(answer as KubeObject), (claim) => {
        claim.status = { phase: 'Bound' };
      });
    return answer;
  });
  const log = recordingLog();
  const told: string[][] = [];
  const tell = (subject: ExposeOwner, ...words: string[]) => void told.push([subject.name, ...words]);
  await hostSnapshot({ kube: cluster, clock, random: seededRandom(1), log, settings, tell }, owner, given, signal);
  const claim = cluster.get(persistentVolumeClaimType, key);
  const pod = cluster.get(podType, key);
  return { claim: await claim, pod: await pod, cluster, log, told };
}
const termsOf = (pod: Awaited<ReturnType<typeof hosted>>['pod']) =>
  pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

describe('the copy of a snapshot and its hosting pod', () => {
  it('without settings: class of the source, writable, best effort, any Linux node', async () => {
    const { claim, pod } = await hosted({});
    expect(claim.spec).toMatchObject({ storageClassName: 'fast', accessModes: ['ReadWriteOnce'] });
    expect(pod.spec.containers[0]?.resources).toBeUndefined();
    expect(termsOf(pod)).toEqual([
      { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'NotIn', values: ['windows'] }] },
    ]);
  });
  it.each([
    ['Block', { readsChanges: true, readsChangesOfFiles: false }, true],
    ['Block', { readsChanges: false, readsChangesOfFiles: true }, false],
    ['Filesystem', { readsChanges: true, readsChangesOfFiles: false }, false],
    ['Filesystem', { readsChanges: true, readsChangesOfFiles: true }, true],
  ])('mode %s with %j: the pod may read changed blocks or files: %s', async (sourceVolumeMode, reads, isTold) => {
    const given = hosting({ claim: undefined });
    const { pod } = await hosted({}, { ...given, param: { ...given.param, ...reads }, sourceVolumeMode });
    const { command = [], args = [] } = pod.spec.containers[0] ?? {};
    expect([...command, ...args].some((arg) => arg.startsWith('--snapshot-id='))).toBe(isTold);
  });
  it('asks for changes as the service account that the settings name, else as its own', async () => {
    const given = hosting();
    const param = { ...given.param, readsChangesOfFiles: true };
    const asked = async (settings: ExposureSettings) =>
      (await hosted(settings, { ...given, param })).pod.spec.containers[0]?.args?.filter((arg) =>
        arg.startsWith('--cbt'),
      );
    expect(await asked({ csiSnapshotMetadataServiceConfigs: { saName: 'cbt' } })).toEqual(['--cbt-sa-name=cbt']);
    expect(await asked({})).toEqual(['--cbt-sa-name=velero']);
  });
  it('copies the Secrets and ConfigMaps that its driver needs before it creates the claim', async () => {
    const settings: ExposureSettings = {
      backupPVC: { fast: { secretNames: ['kms-token'] }, slow: { secretNames: ['x'] } },
    };
    const { cluster } = await hosted(settings, hosting(), [aSecret({ namespace: 'app', name: 'kms-token' })]);
    const made = cluster.calls.filter(({ verb }) => verb === 'create').map(({ type }) => type.kind);
    expect(made).toEqual(['Secret', 'PersistentVolumeClaim', 'Pod']);
  });
  it('loadAffinity follows the class of the copy, in addition to the topology of the source', async () => {
    const settings: ExposureSettings = {
      backupPVC: { fast: { storageClass: 'copy', readOnly: true, annotations: { note: 'x' } } },
      loadAffinity: [
        { nodeSelector: { matchLabels: { pool: 'a' } }, storageClass: 'fast' },
        { nodeSelector: { matchLabels: { pool: 'b' } }, storageClass: 'copy' },
      ],
    };
    const local = aPersistentVolume({ spec: { nodeAffinity: { required: { nodeSelectorTerms: onNode1 } } } });
    const given = hosting({ storageClass: waitingClass, volume: local });
    const { claim, pod } = await hosted(settings, given, [aStorageClass({ name: 'copy' })]);
    expect(claim.spec).toMatchObject({ storageClassName: 'copy', accessModes: ['ReadOnlyMany'] });
    // The class of the copy binds immediately: no node is selected for it.
    expect(claim.metadata.annotations).toEqual({ note: 'x' });
    expect(pod.spec.volumes?.at(-1)?.persistentVolumeClaim).toEqual({ claimName: 'upload', readOnly: true });
    expect(termsOf(pod)?.map((term) => term.matchExpressions?.map((each) => each.key))).toEqual([
      ['kubernetes.io/hostname', 'pool', 'kubernetes.io/os'],
    ]);
  });
  it('with WaitForFirstConsumer and one node left by loadAffinity, the volume is created there before the pod', async () => {
    const settings = { loadAffinity: [{ nodeSelector: { matchLabels: { pool: 'backup' } } }] };
    const labelled = aNode({ name: 'node-3', labels: { pool: 'backup' } });
    const { claim } = await hosted(settings, hosting({ storageClass: waitingClass }), [labelled]);
    expect(claim.metadata.annotations).toEqual({ 'volume.kubernetes.io/selected-node': 'node-3' });
  });
  it('an unknown class for the copy is reported with the setting that names it', async () => {
    const settings = { backupPVC: { fast: { storageClass: 'none' } } };
    await expect(hosted(settings)).rejects.toMatchObject({
      code: 'EXPOSE_NO_STORAGE_CLASS',
      message: expect.stringContaining('"none"'),
      nextStep: expect.stringContaining('backupPVC "fast" of the node-agent ConfigMap'),
    });
  });
  it('resources: the claim overrides the class, and the class overrides the installation', async () => {
    const limit = (cpu: string) => ({ limits: { cpu } });
    const settings = { podResources: limit('1'), podResourcesPerStorageClass: { fast: limit('2') } };
    const annotated = source({ 'lateen.dev/pod-resources': '{"cpuLimit":"3"}' });
    const used = async (given: SnapshotToHost) => (await hosted(settings, given)).pod.spec.containers[0]?.resources;
    expect(await used(hosting())).toEqual(limit('2'));
    expect(await used(hosting({ claim: annotated }))).toEqual(limit('3'));
  });
  it('an invalid annotation is logged and delays nothing', async () => {
    const claim = source({ 'lateen.dev/pod-resources': 'lots' });
    const { pod, log } = await hosted({ podResources: { limits: { cpu: '1' } } }, hosting({ claim }));
    expect(pod.spec.containers[0]?.resources).toEqual({ limits: { cpu: '1' } });
    expect(JSON.stringify(log.lines)).toContain('annotation lateen.dev/pod-resources');
  });
  it('an annotation above the maximum is reduced, and an Event reports it', async () => {
    const claim = source({ 'lateen.dev/pod-resources': '{"memoryRequest":"1Ti"}' });
    const { pod, told } = await hosted({}, hosting({ claim }));
    expect(pod.spec.containers[0]?.resources).toEqual({ requests: { memory: '4Gi' } });
    expect(told).toEqual([
      [owner.name, 'Data-Movement-Pod-Resources', expect.stringContaining('requests.memory "1Ti" is "4Gi"')],
    ]);
  });
});

describe('a copy with fast provisioning', () => {
  const annotations = { 'csi.vsphere.volume/fast-provisioning': 'true' };
  const settings = { backupPVC: { fast: { annotations } } };
  const attachment = (name: string, volume: string, nodeName: string) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name },
    spec: { attacher: 'csi', nodeName, source: { persistentVolumeName: volume } },
  });
  it('is kept off the nodes where its source is attached', async () => {
    const attachments = [attachment('a', 'pv-data', 'node-1'), attachment('b', 'pv-other', 'node-2')];
    const { claim, pod } = await hosted(settings, hosting(), attachments);
    expect(claim.metadata.annotations).toEqual(annotations);
    expect(termsOf(pod)?.[0]?.matchExpressions).toContainEqual({
      key: 'kubernetes.io/hostname',
      operator: 'NotIn',
      values: ['node-1'],
    });
  });
  it('is provisioned normally when the attached nodes cannot be determined', async () => {
    const clock = new FakeClock();
    const cluster = fakeCluster({ clock, objects: [upload] }).failOnce('list', volumeAttachmentType, 'KUBE_FORBIDDEN');
    const log = recordingLog();
    const doing = hostSnapshot(
      { kube: cluster, clock, random: seededRandom(1), log, settings },
      owner,
      hosting(),
      signal,
    );
    await cluster.settle();
    cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, key, (claim) => {
      claim.status = { phase: 'Bound' };
    });
    await doing;
    expect((await cluster.get(persistentVolumeClaimType, key)).metadata.annotations).toBeUndefined();
    expect(JSON.stringify(log.lines)).toContain('cannot be determined');
  });
});
