import { backupSettingsDefault } from '@lateen/backup';
import { restoreSettingsDefault } from '@lateen/restore';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

describe('readConfig', () => {
  it('has a default for everything', () => {
    expect(readConfig([], {})).toMatchObject({
      namespace: 'velero',
      logLevel: 'info',
      logFormat: 'text',
      address: '0.0.0.0',
      port: 8085,
      leaderElect: true,
      scratchDirectory: '/tmp',
      engineBinary: 'kopia',
      defaultLocation: 'default',
      validationFrequencyMs: 60_000,
      maintenanceFrequency: '1h0m0s',
      repositoryConfigMap: undefined,
      maintenanceConfigMap: undefined,
      maintenanceJobsMax: 4,
      kubeconfig: undefined,
    });
  });

  it('prefers flags to the environment', () => {
    const environment = { VELERO_NAMESPACE: 'ns', VELERO_SCRATCH_DIR: '/scratch', POD_NAME: 'pod-1' };
    const argv = ['--namespace', 'other', '--port=0', '--log-level=debug', '--log-format=json', '--no-leader-elect'];
    expect(readConfig(argv, environment)).toMatchObject({
      namespace: 'other',
      port: 0,
      logLevel: 'debug',
      logFormat: 'json',
      leaderElect: false,
      scratchDirectory: '/scratch',
      identity: 'pod-1',
    });
    expect(readConfig([], environment).namespace).toBe('ns');
  });

  it('reads the settings of locations, including zero and none', () => {
    const argv = ['--default-backup-storage-location', 'main', '--store-validation-frequency', '5m0s'];
    expect(readConfig(argv, {})).toMatchObject({ defaultLocation: 'main', validationFrequencyMs: 300_000 });
    expect(readConfig(['--default-backup-storage-location=', '--store-validation-frequency=0'], {})).toMatchObject({
      defaultLocation: '',
      validationFrequencyMs: 0,
    });
  });

  it('reads the settings of plugins, and rejects a limit under which no program starts', () => {
    expect(readConfig([], {}).plugins).toEqual({
      directory: '/plugins',
      callMs: 300_000,
      parallelCalls: 1,
      memoryBytesMax: undefined,
      passCredentials: false,
    });
    const argv = ['--plugin-dir=/opt/plugins', '--plugin-call-timeout=90s', '--plugin-memory-limit=512Mi'];
    expect(readConfig([...argv, '--plugin-parallel-calls=8', '--plugin-credentials'], {}).plugins).toEqual({
      directory: '/opt/plugins',
      callMs: 90_000,
      parallelCalls: 8,
      memoryBytesMax: 536_870_912,
      passCredentials: true,
    });
    for (const wrong of ['1Mi', 'much', '-1Gi', ''])
      expect(() => readConfig([`--plugin-memory-limit=${wrong}`], {})).toThrow('--plugin-memory-limit');
  });

  it('reads the settings of restores; without a timeout for additional items the resource timeout is used', () => {
    expect(readConfig([], {}).restores).toEqual(restoreSettingsDefault);
    const argv = [
      '--concurrent-restores=2',
      '--restore-parallel=1',
      '--restore-resource-priorities=pods,-,services',
      '--terminating-resource-timeout=1m',
      '--additional-items-ready-timeout=30s',
      '--default-resource-modifier-configmap=changes',
      '--owner-ref-configmap=velero-ownerref-config',
      '--default-item-operation-timeout=1h',
    ];
    expect(readConfig(argv, {}).restores).toEqual({
      ...restoreSettingsDefault,
      concurrentRestores: 2,
      parallel: 1,
      priorities: ['pods', '-', 'services'],
      terminatingResourceTimeout: '1m',
      additionalItemsReadyTimeout: '30s',
      defaultResourceModifier: 'changes',
      ownerRefConfigMap: 'velero-ownerref-config',
      defaultItemOperationTimeout: '1h',
    });
    expect(readConfig(['--additional-items-ready-timeout=0'], {}).restores).toEqual(restoreSettingsDefault);
    expect(() => readConfig(['--restore-resource-priorities=pods,pods'], {})).toThrow(
      'restore resource priorities: resource "pods" is listed twice',
    );
  });

  it('reads the settings of schedules, sync and retention; a negative value means the default', () => {
    const usual = {
      backupSyncPeriodMs: 60_000,
      garbageCollectionFrequencyMs: 3_600_000,
      scheduleSkipImmediately: false,
    };
    expect(readConfig([], {}).lifecycle).toEqual(usual);
    const argv = ['--backup-sync-period=5m', '--garbage-collection-frequency=10m', '--schedule-skip-immediately'];
    expect(readConfig(argv, {}).lifecycle).toEqual({
      backupSyncPeriodMs: 300_000,
      garbageCollectionFrequencyMs: 600_000,
      scheduleSkipImmediately: true,
    });
    expect(readConfig(['--backup-sync-period=0'], {}).lifecycle).toMatchObject({ backupSyncPeriodMs: 0 });
    const odd = ['--backup-sync-period=-1m', '--garbage-collection-frequency=0', '--schedule-skip-immediately=false'];
    expect(readConfig(odd, {}).lifecycle).toEqual(usual);
    expect(() => readConfig(['--backup-sync-period=soon'], {})).toThrow(
      /--backup-sync-period "soon" is not a duration/,
    );
  });

  it('reads the settings of repositories', () => {
    const argv = ['--default-repo-maintain-frequency=30m', '--backup-repository-configmap=r'];
    const more = ['--repo-maintenance-job-configmap', 'm', '--repo-maintenance-jobs-max', '9'];
    expect(readConfig([...argv, ...more], {})).toMatchObject({
      maintenanceFrequency: '30m',
      repositoryConfigMap: 'r',
      maintenanceConfigMap: 'm',
      maintenanceJobsMax: 9,
    });
    expect(readConfig(['--default-repo-maintain-frequency=0'], {}).maintenanceFrequency).toBe('1h0m0s');
  });

  it("reads the settings of backups under Velero's names", () => {
    expect(readConfig([], {}).backups).toEqual(backupSettingsDefault);
    const argv = [
      '--default-backup-ttl=24h',
      '--default-item-operation-timeout=1h0m0s',
      '--resource-timeout=5m',
      '--concurrent-backups=4',
      '--item-block-worker-count',
      '3',
      '--client-page-size=100',
      '--default-snapshot-move-data',
      '--default-volumes-to-fs-backup=true',
      '--default-volume-snapshot-locations=aws:eu,gcp:us',
      '--global-backup-volume-policies-configmap=policies',
      '--features=EnableCSI,EnableAPIGroupVersions',
      '--default-backup-storage-location=main',
      '--use-pod-volumes=false',
      '--fs-backup-timeout=90m',
      '--uploader-type=restic',
    ];
    expect(readConfig(argv, {}).backups).toEqual({
      defaultLocation: 'main',
      defaultSnapshotLocations: new Map([
        ['aws', 'eu'],
        ['gcp', 'us'],
      ]),
      defaultTtl: '24h',
      defaultItemOperationTimeout: '1h0m0s',
      defaultSnapshotMoveData: true,
      defaultVolumesToFsBackup: true,
      globalVolumePolicies: 'policies',
      resourceTimeout: '5m',
      podVolumes: { enabled: false, timeout: '90m', uploaderType: 'restic' },
      concurrentBackups: 4,
      itemBlockWorkers: 3,
      pageSize: 100,
      allVersions: true,
    });
  });

  it('treats zero and an explicit false as the default', () => {
    const argv = ['--default-backup-ttl=0', '--client-page-size=0', '--default-snapshot-move-data=false'];
    expect(readConfig(argv, {}).backups).toEqual(backupSettingsDefault);
  });

  it.each([
    [['--default-backup-ttl=-1h'], /--default-backup-ttl "-1h" is negative/],
    [['--default-item-operation-timeout=long'], /"long" is not a duration such as 4h0m0s/],
    [['--concurrent-backups=0'], /--concurrent-backups "0" is not a whole number from 1 to 100/],
    [['--client-page-size=-5'], /is not a whole number from 0 to 10000/],
    [['--default-snapshot-move-data=perhaps'], /"perhaps" is neither true nor false/],
    [['--default-volume-snapshot-locations=aws'], /"aws" is not <provider>:<name>/],
    [['--default-repo-maintain-frequency=-1h'], /--default-repo-maintain-frequency "-1h" is negative/],
    [['--default-repo-maintain-frequency=often'], /"often" is not a duration such as 1h0m0s/],
    [['--repo-maintenance-jobs-max=0'], /"0" is not a whole number from 1 to 1000/],
    [['--store-validation-frequency=-1m'], /--store-validation-frequency "-1m" is negative/],
    [['--store-validation-frequency', 'soon'], /--store-validation-frequency "soon" is not a duration such as 1m0s/],
    [['--nope'], /unknown option '--nope'/],
    [['--port', 'many'], /--port "many" is not a port number/],
    [['--port', '70000'], /--port "70000"/],
    [['--log-level=loud'], /loud/],
    [['extra'], /too many arguments/],
  ])('rejects %j with the reason', (argv, message) => {
    expect(() => readConfig(argv, {})).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(message) }),
    );
  });
});
