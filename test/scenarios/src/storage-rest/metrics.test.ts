import { expect, it } from 'vitest';
import { restWorld } from './rest-world.ts';
import { aStorageNode, aVolume } from './storage-objects.ts';

const GiB = 1024 ** 3;

it('tells volumes, node and disks under the names of the reference, each by the manager that looks after it', async () => {
  const kubernetesStatus = { pvcName: 'data', namespace: 'default' };
  const ready = { type: 'Ready', status: 'False', reason: 'NoDiskInfo' };
  await using world = await restWorld({
    node: 'node-1',
    objects: [
      ...aVolume('pvc-1', {
        status: { ownerID: 'node-1', robustness: 'degraded', actualSize: 8192, kubernetesStatus },
      }),
      ...aVolume('pvc-2', { status: { ownerID: 'node-2' } }),
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
      'longhorn_node_count_total 2',
      'longhorn_node_status{node="node-1",condition="ready",condition_reason=""} 1',
      'longhorn_disk_status{node="node-1",disk="default",condition="ready",condition_reason="NoDiskInfo"} 0',
      `longhorn_disk_capacity_bytes{node="node-1",disk="default"} ${10 * GiB}`,
      `longhorn_node_storage_usage_bytes{node="node-1"} ${6 * GiB}`,
    ]),
  );
  expect(lines.filter((line) => line.includes('pvc-2') || line.includes('node-2'))).toEqual([]);
});
