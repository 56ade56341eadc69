import { bothEngines, notHere, rowsOf } from '../setting-definition.ts';

const { bool, int, float, text } = rowsOf('danger Zone');
const v2 = { engines: ['v2'], kept: notHere.v2 } as const;
const probe = { minimum: 1, kept: notHere.enginePods } as const;

export const dangerZoneSettings = [
  int('concurrent-backing-image-replenish-per-node-limit', '5', 'Copies of backing images of a node at once.', {
    minimum: 0,
    kept: notHere.backingImages,
  }),
  int('concurrent-replica-rebuild-per-node-limit', '5', 'Replicas of a node that are rebuilt at once; 0: none is.', {
    minimum: 0,
  }),
  text('csi-allowed-topology-keys', '', 'Labels of nodes that volumes are bound to.', {
    kept: 'a volume may be attached to every node',
  }),
  text('data-engine-cpu-mask', '0x3', 'Cores of the v2 data engine.', v2),
  bool('data-engine-hugepage-enabled', 'true', 'Huge pages of the v2 data engine.', v2),
  bool('data-engine-interrupt-mode-enabled', 'false', 'Interrupts in place of polling in the v2 data engine.', v2),
  int('data-engine-memory-size', '2048', 'Memory of the v2 data engine, in MiB.', { ...v2, minimum: 0 }),
  bool('disable-snapshot-purge', 'false', 'Merges no snapshots: for disks that have no room for it.'),
  text('endpoint-network-for-rwx-volume', '', 'Network of shares.', { kept: notHere.shares }),
  int('engine-image-pod-liveness-probe-failure-threshold', '3', 'Failed probes that restart such a pod.', probe),
  int('engine-image-pod-liveness-probe-period', '5', 'Seconds between probes of pods of engine images.', probe),
  int('engine-image-pod-liveness-probe-timeout', '4', 'Seconds that such a probe may take.', probe),
  float('guaranteed-instance-manager-cpu', '12', 'Share of the CPU of a node that its instance manager requests.', {
    engines: bothEngines,
    minimum: 0,
    maximum: 40,
  }),
  int('instance-manager-pod-liveness-probe-timeout', '10', 'Seconds that a probe of an instance manager may take.', {
    minimum: 1,
    kept: 'instance managers have no liveness probe: a restart of the container would end all volumes of the node',
  }),
  bool('kubernetes-cluster-autoscaler-enabled', 'false', 'Lets the cluster autoscaler remove nodes.', {
    kept: 'a node is free for the autoscaler when no replica is left on it',
  }),
  text('log-path', '/var/lib/longhorn/logs/', 'Directory of log files of instance managers.', { kept: notHere.v2 }),
  text('priority-class', 'longhorn-critical', 'PriorityClass of pods that the manager starts.'),
  bool(
    'remove-snapshots-during-filesystem-trim',
    'false',
    'A trim also removes the newest snapshots, so that it frees more space.',
    { kept: 'a trim frees space of the head of the volume, and removes no snapshot' },
  ),
  int('replica-rebuild-concurrent-sync-limit', '1', 'Layers that a rebuild copies at once.', {
    engines: ['v1'],
    minimum: 1,
    maximum: 5,
  }),
  int(
    'snapshot-heavy-task-concurrent-limit',
    '5',
    'Snapshots of a node whose checksums are computed at once; 0: any number. Merges and clones of snapshots are not limited by it.',
    { minimum: 0 },
  ),
  text('storage-network', '', 'Network for the data of volumes.', { kept: 'data goes over the network of the pods' }),
  text(
    'system-managed-components-node-selector',
    '',
    'Nodes for pods that the manager starts, as key:value; key:value.',
  ),
  text('system-managed-csi-components-resource-limits', '', 'Resources of the CSI components, as JSON.', {
    kept: 'the CSI components are part of the manager and get their resources from its manifest',
  }),
  text('taint-toleration', '', 'Taints that pods that the manager starts tolerate, as key=value:effect; key:effect.'),
  bool('v1-data-engine', 'true', 'Whether volumes of the v1 data engine may be made.', {
    kept: 'it is the only data engine here',
  }),
  bool('v2-data-engine', 'false', 'Whether volumes of the v2 data engine may be made.', { kept: notHere.v2 }),
] as const;
