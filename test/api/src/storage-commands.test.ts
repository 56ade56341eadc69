import { join } from 'node:path';
import {
  type BackupTarget,
  backupTargetType,
  backupType,
  type LonghornNode,
  longhornNodeType,
  recurringJobType,
  settingType,
  snapshotType,
  type Volume,
  type VolumeAttachmentObject,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import { execa } from 'execa';
import { beforeAll, expect, it } from 'vitest';
import { applyDefinitions, storageDefinitions, untilServed } from './apply-definitions.ts';
import { describeWithApiServer } from './with-api-server.ts';

const main = join(import.meta.dirname, '..', '..', '..', 'apps', 'cli', 'src', 'main.ts');
const apiVersion = 'longhorn.io/v1beta2';
/** Processes start slowly on a busy machine. */
const testMs = 600_000;

/** The command line as in a shell, against the real definitions; no manager runs. */
await describeWithApiServer('lateen storage on a real kube-apiserver', (under) => {
  let namespace = '';
  const lateen = async (...words: string[]) => {
    const args = [main, '--kubeconfig', under.server.kubeconfig, 'storage', '--storage-namespace', namespace, ...words];
    const { exitCode, stdout, stderr } = await execa(process.execPath, args, { stdin: 'ignore', reject: false });
    return { code: exitCode, stdout, stderr };
  };
  const volume = () => under.kube.get<Volume>(volumeType, { namespace, name: 'vol' });
  const done = { code: 0, stderr: '' };

  beforeAll(async () => {
    namespace = await under.namespace();
    expect(await lateen('volume', 'list')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('lateen install --volume-manager replicated'),
    });
    await applyDefinitions(under.kube, storageDefinitions);
    for (const type of [
      volumeType,
      longhornNodeType,
      settingType,
      snapshotType,
      backupType,
      volumeAttachmentObjectType,
    ])
      await untilServed(under.kube, type);
    const node: LonghornNode = {
      apiVersion,
      kind: 'Node',
      metadata: { name: 'node-1', namespace },
      spec: { name: 'node-1', allowScheduling: true, disks: { a: { path: '/a', allowScheduling: true } } },
    };
    const made = await under.kube.create(longhornNodeType, node);
    const conditions = [{ type: 'Ready', status: 'True' } as const];
    const status = { conditions, diskStatus: { a: { diskPath: '/a', diskUUID: 'a' } } };
    await under.kube.update(longhornNodeType, { ...made, status }, { subresource: 'status' });
  }, testMs);

  it(
    'creates a volume that the definitions accept, and keeps every change of several parallel writers',
    async () => {
      expect(await lateen('volume', 'create', 'vol', '1Gi', '--replicas', '2')).toMatchObject(done);
      const changes = await Promise.all([
        lateen('volume', 'update', 'vol', '--replicas', '3'),
        lateen('volume', 'recurring-job', 'add', 'vol', 'one', '--group'),
        lateen('volume', 'recurring-job', 'add', 'vol', 'two', '--group'),
        lateen('volume', 'update', 'vol', '--data-locality', 'best-effort'),
      ]);
      expect(changes).toEqual(changes.map(() => expect.objectContaining(done)));
      const { metadata, spec } = await volume();
      expect(spec).toMatchObject({ size: '1073741824', numberOfReplicas: 3, dataLocality: 'best-effort' });
      expect(metadata.labels).toMatchObject({
        'recurring-job-group.longhorn.io/one': 'enabled',
        'recurring-job-group.longhorn.io/two': 'enabled',
      });
      expect((await lateen('volume', 'describe', 'vol')).stdout).toContain('no manager has taken the volume yet');
    },
    testMs,
  );

  it(
    'attaches a volume and detaches it',
    async () => {
      const refused = await lateen('volume', 'attach', 'vol', 'node-1');
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('volume vol has no scheduled replicas'),
      });
      const object: VolumeAttachmentObject = {
        apiVersion,
        kind: 'VolumeAttachment',
        metadata: { name: 'vol', namespace },
        spec: {
          volume: 'vol',
          attachmentTickets: {
            'csi-1': { id: 'csi-1', type: 'csi-attacher', nodeID: 'node-1' },
            'lateen-cli': { id: 'lateen-cli', type: 'longhorn-api', nodeID: 'node-1' },
          },
        },
      };
      await under.kube.create(volumeAttachmentObjectType, object);
      expect(await lateen('volume', 'detach', 'vol')).toMatchObject({
        ...done,
        stdout: 'volume vol: released: lateen-cli',
      });
      const left = await under.kube.get<VolumeAttachmentObject>(volumeAttachmentObjectType, { namespace, name: 'vol' });
      expect(Object.keys(left.spec.attachmentTickets ?? {})).toEqual(['csi-1']);
    },
    testMs,
  );

  it(
    'writes nodes, disks, settings, jobs, targets, snapshots and backups that the definitions accept completely',
    async () => {
      expect(await lateen('disk', 'set', 'node-1', 'a', '--reserved', '10Gi', '--tags', 'ssd')).toMatchObject(done);
      expect(await lateen('node', 'set', 'node-1', '--tags', 'fast')).toMatchObject(done);
      const node = await under.kube.get<LonghornNode>(longhornNodeType, { namespace, name: 'node-1' });
      expect(node.spec).toMatchObject({
        tags: ['fast'],
        disks: { a: { storageReserved: 10_737_418_240, tags: ['ssd'] } },
      });
      expect(await lateen('setting', 'set', 'auto-salvage', 'false')).toMatchObject(done);
      expect(await under.kube.get(settingType, { namespace, name: 'auto-salvage' })).toMatchObject({ value: 'false' });
      expect(
        await lateen('job', 'create', 'nightly', '--task', 'backup', '--cron', '0 1 * * *', '--groups', 'default'),
      ).toMatchObject(done);
      expect(await under.kube.get(recurringJobType, { namespace, name: 'nightly' })).toMatchObject({
        spec: { name: 'nightly', task: 'backup', cron: '0 1 * * *', retain: 1, concurrency: 10, groups: ['default'] },
      });
      expect(await lateen('backup-target', 'set', 'default', '--url', 's3://b@r/', '--secret', 'keys')).toMatchObject(
        done,
      );
      const target = await under.kube.get<BackupTarget>(backupTargetType, { namespace, name: 'default' });
      expect(target.spec).toEqual({ backupTargetURL: 's3://b@r/', credentialSecret: 'keys', pollInterval: '5m0s' });
      await under.kube.update(
        backupTargetType,
        { ...target, status: { available: true, conditions: [] } },
        { subresource: 'status' },
      );
      expect(await lateen('backup', 'create', 'vol', '--name', 'first')).toMatchObject({ code: 0 });
      const backup = await under.kube.get(backupType, { namespace, name: 'first' });
      expect(backup).toMatchObject({ spec: { backupMode: 'incremental', backupBlockSize: '2097152' } });
      const snapshot = (backup as { spec: { snapshotName: string } }).spec.snapshotName;
      expect(await under.kube.get(snapshotType, { namespace, name: snapshot })).toMatchObject({
        spec: { volume: 'vol', createSnapshot: true },
      });
    },
    testMs,
  );
});
