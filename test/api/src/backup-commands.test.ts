import { join } from 'node:path';
import {
  type Backup,
  type BackupStatus,
  backupStorageLocationType,
  backupType,
  type CoreEvent,
  type DeleteBackupRequest,
  dataUploadType,
  deleteBackupRequestType,
  eventType,
  scheduleType,
  volumeSnapshotLocationType,
} from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import { readObject } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { aBackupStorageLocation, aDataUpload } from '@lateen/testing';
import { execa } from 'execa';
import { beforeAll, expect, it } from 'vitest';
import { applyDefinitions, untilServed } from './apply-definitions.ts';
import { describeWithApiServer } from './with-api-server.ts';

const main = join(import.meta.dirname, '..', '..', '..', 'apps', 'cli', 'src', 'main.ts');

/** The command line as in a shell, against the real server and the real definitions; the test acts as the controller. */
await describeWithApiServer('lateen backup and schedule on a real kube-apiserver', (under) => {
  const signal = new AbortController().signal;
  let namespace = '';

  beforeAll(async () => {
    namespace = await under.namespace();
    await applyDefinitions(under.kube);
    for (const type of [backupType, scheduleType, deleteBackupRequestType, dataUploadType, volumeSnapshotLocationType])
      await untilServed(under.kube, type);
    await under.kube.create(
      backupStorageLocationType,
      aBackupStorageLocation({ metadata: { name: 'main', namespace } }),
    );
  });

  const lateen = async (...words: string[]) => {
    const args = [main, '--kubeconfig', under.server.kubeconfig, '-n', namespace, ...words];
    const { exitCode, stdout, stderr } = await execa(process.execPath, args, { stdin: 'ignore', reject: false });
    return { code: exitCode, stdout, stderr };
  };
  const backupNamed = (name: string) => under.kube.get(backupType, { namespace, name });
  /** Resolves when the object is as expected. */
  const until = (name: string, isMeant: (backup: Backup) => boolean) =>
    waitForObject<Backup, Backup>({
      api: under.kube,
      type: backupType,
      key: { namespace, name },
      clock: systemClock,
      signal,
      until: (seen) => (seen !== undefined && isMeant(seen) ? seen : undefined),
    });
  const write = (name: string, status: BackupStatus) =>
    under.kube.patch(backupType, { namespace, name }, { type: 'merge', body: { status } }, { signal });

  it('stores what each flag says, and the definitions keep all of it', async () => {
    expect(await lateen('snapshot-location', 'create', 'ebs', '--provider', 'aws')).toMatchObject({ code: 0 });
    const common = ['--ttl', '72h', '--storage-location', 'main', '--volume-snapshot-locations', 'ebs'];
    const volumes = ['--snapshot-volumes', '--snapshot-move-data=false', '--default-volumes-to-fs-backup'];
    const more = ['--csi-snapshot-timeout', '20m', '--item-operation-timeout', '8h', '--data-mover', 'velero'];
    const rest = [
      ...['--ordered-resources', 'pods=a/b', '--resource-policies-configmap', 'policies'],
      ...['--parallel-files-upload', '4', '--volume-group-snapshot-label-key', 'my/group'],
      ...['--labels', 'a=b', '--annotations', 'c=d', '--exclude-namespaces', 'kube-*'],
    ];
    const old = ['--include-resources', 'pods', '--exclude-resources', 'secrets', '--include-cluster-resources'];
    const ran = await lateen(
      'backup',
      'create',
      'old',
      ...common,
      ...volumes,
      ...more,
      ...rest,
      ...old,
      '-l',
      'x in (y)',
    );
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const shared = {
      includedNamespaces: ['*'],
      excludedNamespaces: ['kube-*'],
      ttl: '72h',
      storageLocation: 'main',
      volumeSnapshotLocations: ['ebs'],
      snapshotVolumes: true,
      snapshotMoveData: false,
      defaultVolumesToFsBackup: true,
      csiSnapshotTimeout: '20m',
      itemOperationTimeout: '8h',
      datamover: 'velero',
      orderedResources: { pods: 'a/b' },
      resourcePolicy: { kind: 'configmap', name: 'policies' },
      uploaderConfig: { parallelFilesUpload: 4 },
      volumeGroupSnapshotLabelKey: 'my/group',
    };
    const stored = await backupNamed('old');
    expect(stored.metadata).toMatchObject({ labels: { a: 'b' }, annotations: { c: 'd' } });
    expect(stored.spec).toMatchObject({
      ...shared,
      includedResources: ['pods'],
      excludedResources: ['secrets'],
      includeClusterResources: true,
      labelSelector: { matchExpressions: [{ key: 'x', operator: 'In', values: ['y'] }] },
    });
    const scoped = [
      ...['--include-cluster-scoped-resources', 'nodes', '--exclude-cluster-scoped-resources', 'storageclasses'],
      ...['--include-namespace-scoped-resources', 'pods', '--exclude-namespace-scoped-resources', 'secrets'],
      ...['--or-selector', 'a=b or !c'],
    ];
    const scheduled = ['--schedule', '0 1 * * *', '--use-owner-references-in-backup', '--paused', '--skip-immediately'];
    const kept = ['--keep-at-least', '3', '--jitter', '10m'];
    const made = await lateen(
      'schedule',
      'create',
      'nightly',
      ...common,
      ...volumes,
      ...more,
      ...rest,
      ...scoped,
      ...scheduled,
      ...kept,
    );
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const schedule = await under.kube.get(scheduleType, { namespace, name: 'nightly' });
    expect(schedule.metadata.annotations).toMatchObject({
      'lateen.dev/keep-at-least': '3',
      'lateen.dev/jitter': '10m',
    });
    expect(schedule.spec).toMatchObject({
      schedule: '0 1 * * *',
      useOwnerReferencesInBackup: true,
      paused: true,
      skipImmediately: true,
      template: {
        ...shared,
        includedClusterScopedResources: ['nodes'],
        excludedClusterScopedResources: ['storageclasses'],
        includedNamespaceScopedResources: ['pods'],
        excludedNamespaceScopedResources: ['secrets'],
        orLabelSelectors: [{ matchLabels: { a: 'b' } }, { matchExpressions: [{ key: 'c', operator: 'DoesNotExist' }] }],
      },
    });
    expect(await lateen('schedule', 'unpause', 'nightly')).toMatchObject({
      code: 0,
      stdout: 'Schedule nightly unpaused successfully',
    });
    const fromSchedule = await lateen('create', 'backup', 'by-hand', '--from-schedule', 'nightly');
    expect(fromSchedule).toMatchObject({ code: 0 });
    expect((await backupNamed('by-hand')).metadata).toMatchObject({
      labels: { 'velero.io/schedule-name': 'nightly' },
      ownerReferences: [{ kind: 'Schedule', name: 'nightly', uid: schedule.metadata.uid, controller: true }],
    });
    expect((await lateen('schedule', 'delete', 'nightly', '--confirm')).code).toBe(0);
  });

  it('follows a backup with watches to its end, and returns its exit code', async () => {
    const ran = lateen('backup', 'create', 'watched', '--wait', '--exit-code');
    const { metadata } = await until('watched', () => true);
    await write('watched', { phase: 'Queued', queuePosition: 1 });
    await write('watched', { phase: 'InProgress', queuePosition: 0, startTimestamp: '2030-01-01T00:00:00Z' });
    const event: CoreEvent = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { generateName: 'watched-', namespace },
      involvedObject: { kind: 'Backup', namespace, name: 'watched', uid: metadata.uid ?? '' },
      reason: 'SnapshotSlow',
      message: 'the CSI driver takes long',
      type: 'Warning',
    };
    await under.kube.create(eventType, event);
    const labels = { 'velero.io/backup-name': 'watched' };
    await under.kube.create(
      dataUploadType,
      aDataUpload({
        phase: 'Failed',
        status: { message: 'locked' },
        metadata: { name: 'watched-data', namespace, labels },
      }),
    );
    // These are watched separately.
    await until('watched', () => true);
    await systemClock.sleep(1_000, signal);
    await write('watched', { phase: 'PartiallyFailed', errors: 1, progress: { totalItems: 3, itemsBackedUp: 3 } });
    const { code, stdout, stderr } = await ran;
    expect({ code, stderr }).toMatchObject({ code: 3 });
    expect(stdout).toContain('Backup completed with status: PartiallyFailed.');
    const lines = stderr.split('\n');
    expect(lines).toContain('watched  WARNING: SnapshotSlow: the CSI driver takes long');
    expect(lines).toContain('watched  volume app/data  Failed  locked');
    expect(lines.at(-1)).toBe('backup "watched" is PartiallyFailed: 1 error');
  });

  it('cancels a backup that waits, with a field that the definitions have', async () => {
    await lateen('backup', 'create', 'canceled');
    const ran = lateen('backup', 'cancel', 'canceled', '--confirm', '--wait');
    await until('canceled', ({ spec }) => spec.cancel === true);
    await write('canceled', { phase: 'Canceled' });
    expect(await ran).toEqual({
      code: 0,
      stdout: 'backup/canceled is being canceled\nbackup/canceled Canceled',
      stderr: '',
    });
  });

  it('requests a deletion and follows it to its errors, or until the backup is gone', async () => {
    const nameOf = 'd'.repeat(70);
    for (const name of [nameOf, 'stays']) {
      await lateen('backup', 'create', name);
      await write(name, { phase: 'Completed' });
    }
    const ran = lateen('backup', 'delete', nameOf, 'stays', '--confirm', '--wait');
    const requests = async (): Promise<DeleteBackupRequest[]> =>
      (await under.kube.list(deleteBackupRequestType, { namespace })).items;
    let found = await requests();
    while (found.length < 2) {
      await systemClock.sleep(100, signal);
      found = await requests();
    }
    for (const { metadata, spec } of found) {
      const key = { namespace, name: metadata.name ?? '' };
      if (spec.backupName === 'stays')
        await under.kube.patch(deleteBackupRequestType, key, {
          type: 'merge',
          body: { status: { phase: 'Processed', errors: ['bucket is read-only'] } },
        });
      else await under.kube.delete(backupType, { namespace, name: nameOf });
    }
    const { code, stdout, stderr } = await ran;
    expect(code).toBe(1);
    expect(stdout).toContain(`Backup "${nameOf}" deleted.`);
    expect(stderr).toContain('backup "stays" could not be deleted: bucket is read-only');
    expect(await readObject(under.kube, backupType, { namespace, name: nameOf }, signal)).toBeUndefined();
    expect((await lateen('backup', 'get', '-o', 'name')).stdout).toContain('backup/stays');
  });
});
