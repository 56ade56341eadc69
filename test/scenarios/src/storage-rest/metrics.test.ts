import { expect, it } from 'vitest';
import { restWorld } from './rest-world.ts';
import { aStorageNode, aVolume, storageObject } from './storage-objects.ts';

const GiB = 1024 ** 3;

it("reports volumes, node and disks under Longhorn's names, each by the manager that is responsible for it", async () => {
  const kubernetesStatus = { pvcName: 'data', namespace: 'default' };
  const ready = { type: 'Ready', status: 'False', reason: 'NoDiskInfo' };
  await using world = await restWorld({
    node: 'node-1',
    objects: [
      ...aVolume('pvc-1', {
        status: {
          ...{ ownerID: 'node-1', robustness: 'degraded', actualSize: 8192, kubernetesStatus },
          lastBackupAt: '2026-03-01T00:00:00Z',
        },
      }),
      ...aVolume('pvc-2', { status: { ownerID: 'node-2' } }),
      storageObject('Snapshot', 's-1', {
        spec: { volume: 'pvc-1', createSnapshot: true },
        status: { ownerID: 'node-1', size: 4096, userCreated: true },
      }),
      ...['Completed', 'Error', 'Deleting', ''].map((state) =>
        storageObject('Backup', `backup-${state}`, {
          spec: { snapshotName: 's-1', labels: { RecurringJob: 'nightly' } },
          status: { ownerID: 'node-1', state, volumeName: 'pvc-1', size: '2097152' },
        }),
      ),
      aStorageNode('node-1', {
        status: {
          diskStatus: { default: { storageMaximum: 10 * GiB, storageAvailable: 4 * GiB, conditions: [ready] } },
        },
      }),
      aStorageNode('node-2'),
    ],
  });
  const { text } = await world.ask('GET', '/metrics');
  const lines = text.split('\n').filter((line) => line.startsWith('longhorn_'));
  const volume = 'node="node-1",volume="pvc-1",pvc="data",pvc_namespace="default"';
  expect(lines).toEqual(
    expect.arrayContaining([
      `longhorn_volume_capacity_bytes{${volume}} ${GiB}`,
      `longhorn_volume_actual_size_bytes{${volume}} 8192`,
      `longhorn_volume_state{${volume},state="attached"} 1`,
      `longhorn_volume_state{${volume},state="detached"} 0`,
      `longhorn_volume_robustness{${volume},state="degraded"} 1`,
      `longhorn_volume_last_backup_at{${volume}} ${Date.parse('2026-03-01T00:00:00Z') / 1000}`,
      'longhorn_snapshot_actual_size_bytes{volume="pvc-1",snapshot="s-1",user_created="true"} 4096',
      'longhorn_backup_actual_size_bytes{volume="pvc-1",backup="backup-Error",recurring_job="nightly"} 2097152',
      ...[
        ['Completed', 3],
        ['Error', 4],
        ['Deleting', 5],
        ['', 0],
      ].map(
        ([state, number]) =>
          `longhorn_backup_state{volume="pvc-1",backup="backup-${state}",recurring_job="nightly"} ${number}`,
      ),
      'longhorn_node_count_total 2',
      'longhorn_node_status{node="node-1",condition="ready",condition_reason=""} 1',
      'longhorn_disk_status{node="node-1",disk="default",condition="ready",condition_reason="NoDiskInfo"} 0',
      `longhorn_disk_capacity_bytes{node="node-1",disk="default"} ${10 * GiB}`,
      `longhorn_node_storage_usage_bytes{node="node-1"} ${6 * GiB}`,
    ]),
  );
  expect(lines.filter((line) => line.includes('pvc-2') || line.includes('node-2'))).toEqual([]);
});
