import { join } from 'node:path';
import {
  annotations,
  type Backup,
  backupType,
  labels,
  type PersistentVolumeClaim,
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { readArchive } from '@lateen/archive';
import { createWorkload, emptyPrefix, waitForPod } from '@lateen/demo';
import { builtInActions } from '@lateen/item-actions';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import type { S3Store } from '@lateen/object-store-s3';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bucketOf } from './environment/bucket-of.ts';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';

/** A backup whose snapshot stays on the storage. The snapshot controller and the snapshotter are real. */
const root = join(import.meta.dirname, '..', '..', '..');
const suffix = systemRandom.suffix(5);
const namespace = `snapshots-${suffix}`;
const name = `kept-${suffix}`;
const within = () => systemClock.deadline(120_000);

let lateen: LateenUnderTest;
let store: S3Store;
let content: VolumeSnapshotContent;

const theBackup = (): Promise<Backup> => lateen.kube.get(backupType, { namespace: lateen.veleroNamespace, name });

async function archived<T>(resource: string): Promise<T[]> {
  const pieces = async function* () {
    yield await store.get(`backups/${name}/${name}.tar.gz`);
  };
  const found: T[] = [];
  for await (const { path, body } of readArchive(pieces()))
    if (path.startsWith(`resources/${resource}/`) && !path.includes('-preferredversion/'))
      found.push(JSON.parse(Buffer.from(body).toString()));
  return found;
}

/** Whether the driver lists the snapshot. */
async function isOnStorage({ status }: VolumeSnapshotContent): Promise<boolean> {
  const pod = ['-n', 'lateen-csi', 'exec', 'daemonset/lateen-csi', '-c', 'lateen-volume-manager'];
  const list = ['--', 'ls', '/var/lib/lateen-csi/records'];
  const { stdout } = await execa(lateen.kubectl, ['--kubeconfig', lateen.kubeconfig, ...pod, ...list]);
  return stdout.split('\n').includes(`${status?.snapshotHandle}.json`);
}

describe.skipIf(process.env.LATEEN_TEST_KUBECONFIG !== undefined)(
  'a backup with a snapshot that stays on the storage',
  () => {
    beforeAll(async () => {
      lateen = await lateenUnderTest();
      store = bucketOf(lateen);
      const { kube } = lateen;
      const { image, storageClass } = lateen;
      await createWorkload(kube, { namespace, image, storageClass, volumeSize: '64Mi', withPvc: true }, within());
      await waitForPod(kube, namespace, systemClock, within());
    });
    afterAll(async () => {
      const { kubectl, kubeconfig, kube, veleroNamespace } = lateen;
      await execa(kubectl, ['--kubeconfig', kubeconfig, 'delete', '--ignore-not-found', 'namespace', namespace]);
      await kube.delete(backupType, { namespace: veleroNamespace, name }).catch(() => {});
      await emptyPrefix(store, `backups/${name}/`, within());
      await store.close();
      await kube.close();
    });

    it('is Completed, and leaves no snapshot object in the cluster', async () => {
      const flags = ['--kubeconfig', lateen.kubeconfig, '-n', lateen.veleroNamespace];
      const words = ['backup', 'create', name, '--include-namespaces', namespace, '--wait', '--exit-code'];
      const program = [join(root, 'apps/cli/src/main.ts'), ...flags, ...words];
      const { exitCode, stderr } = await execa(process.execPath, program, { reject: false });
      expect([exitCode, stderr]).toEqual([0, expect.anything()]);
      expect((await theBackup()).status).toMatchObject({
        phase: 'Completed',
        csiVolumeSnapshotsAttempted: 1,
        csiVolumeSnapshotsCompleted: 1,
        backupItemOperationsAttempted: 1,
        backupItemOperationsCompleted: 1,
      });
      const { kube } = lateen;
      expect((await kube.list(volumeSnapshotType, { namespace })).items).toEqual([]);
      const contents = await kube.list(volumeSnapshotContentType);
      expect(contents.items.filter(({ spec }) => spec.volumeSnapshotRef.namespace === namespace)).toEqual([]);
    });

    it('stores the snapshot and its content, which a restore and a deletion need', async () => {
      const [snapshot, ...others] = await archived<VolumeSnapshot>('volumesnapshots.snapshot.storage.k8s.io');
      const contents = await archived<VolumeSnapshotContent>('volumesnapshotcontents.snapshot.storage.k8s.io');
      expect([others.length, contents.length]).toEqual([0, 1]);
      content = contents[0] as VolumeSnapshotContent;
      const handle = content.status?.snapshotHandle;
      expect(handle).toMatch(/./);
      expect(snapshot?.status?.readyToUse).toBe(true);
      expect(snapshot?.metadata.annotations).toMatchObject({
        [annotations.csiVolumeSnapshotHandle]: handle,
        [annotations.csiDriverName]: 'csi.lateen.dev',
        [annotations.csiVolumeSnapshotRestoreSize]: snapshot?.status?.restoreSize,
        [annotations.csiContentDeletionPolicy]: 'Delete',
      });
      expect(content.metadata.labels).toMatchObject({ [labels.backupName]: name });
      const [claim] = await archived<PersistentVolumeClaim>('persistentvolumeclaims');
      expect(claim?.metadata.annotations).toMatchObject({ [annotations.volumeSnapshotName]: snapshot?.metadata.name });
      expect(await archived('volumesnapshotclasses.snapshot.storage.k8s.io')).toHaveLength(1);
    });

    it('keeps its snapshot on the storage until it is deleted; deleting again does no harm', async () => {
      expect(await isOnStorage(content)).toBe(true);
      const [action] = builtInActions({ csi: true }).delete;
      const context = {
        backup: await theBackup(),
        kube: lateen.kube,
        clock: systemClock,
        random: systemRandom,
        log: silentLogger,
        veleroNamespace: lateen.veleroNamespace,
      };
      const item = content as unknown as Parameters<NonNullable<typeof action>['execute']>[0];
      await action?.execute(item, context, within());
      expect(await isOnStorage(content)).toBe(false);
      await action?.execute(item, context, within());
      const contents = await lateen.kube.list(volumeSnapshotContentType);
      expect(contents.items.filter(({ metadata }) => metadata.name?.startsWith('vsc-'))).toEqual([]);
    });
  },
);
