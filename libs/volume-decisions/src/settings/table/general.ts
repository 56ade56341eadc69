import { bothEngines, notHere, rowsOf } from '../setting-definition.ts';

const { bool, int, text } = rowsOf('general');
const v2 = { engines: ['v2'], kept: notHere.v2 } as const;

export const generalSettings = [
  bool('allow-collecting-longhorn-usage-metrics', 'true', 'Sends usage figures to the makers of Longhorn.', {
    kept: notHere.outside,
  }),
  bool('auto-cleanup-system-generated-snapshot', 'true', 'Purges snapshots that rebuilds have made.'),
  bool(
    'auto-delete-pod-when-volume-detached-unexpectedly',
    'true',
    'Deletes a pod that has a controller when its volume was lost, so that it is restarted.',
  ),
  bool('auto-salvage', 'true', 'Salvages a volume whose replicas have all failed, from those that have the data.'),
  int('backing-image-cleanup-wait-interval', '60', 'Minutes until the file of an unused backing image goes.', {
    minimum: 0,
    kept: notHere.backingImages,
  }),
  int('backing-image-recovery-wait-interval', '300', 'Seconds until a lost backing image is loaded again.', {
    minimum: 0,
    kept: notHere.backingImages,
  }),
  text(
    'blacklist-for-auto-delete-pod-when-volume-detached-unexpectedly',
    '',
    'Kinds of controllers, as apps/v1/StatefulSet, separated by semicolons, whose pods are not deleted then.',
  ),
  int(
    'concurrent-automatic-engine-upgrade-per-node-limit',
    '0',
    'Engines of a node that move to a new image at once; 0: none does.',
    { minimum: 0, kept: 'engines move to a new image when their volume is attached again' },
  ),
  int(
    'concurrent-volume-backup-restore-per-node-limit',
    '5',
    'Volumes of a node that are restored at once; 0: none is.',
    { minimum: 0 },
  ),
  bool(
    'create-default-disk-labeled-nodes',
    'false',
    'Makes the default disk only on nodes with the label node.longhorn.io/create-default-disk.',
  ),
  bool('csi-storage-capacity-tracking', 'false', 'Publishes the free space of nodes to Kubernetes.', {
    kept: 'external-provisioner always publishes it, and the CSIDriver always has the scheduler look at it',
  }),
  text('data-engine-log-flags', '', 'Log flags of the v2 data engine.', v2),
  text('data-engine-log-level', 'Notice', 'Log level of the v2 data engine.', {
    ...v2,
    options: ['Error', 'Warning', 'Notice', 'Info', 'Debug'],
  }),
  text('default-data-locality', 'disabled', 'Data locality of volumes that name none.', {
    options: ['disabled', 'best-effort', 'strict-local'],
  }),
  text('default-data-path', '/var/lib/longhorn/', 'Directory of the default disk of a new node.'),
  text(
    'default-longhorn-static-storage-class',
    'longhorn-static',
    'StorageClass of claims that are made for a volume that exists.',
  ),
  int('default-min-number-of-backing-image-copies', '1', 'Copies of a backing image.', {
    minimum: 1,
    kept: notHere.backingImages,
  }),
  int('default-replica-count', '3', 'Replicas of volumes that name no number.', {
    engines: bothEngines,
    minimum: 1,
    maximum: 20,
  }),
  int('default-ublk-number-of-queue', '1', 'Queues of a ublk device.', { ...v2, minimum: 1 }),
  int('default-ublk-queue-depth', '128', 'Requests that a queue of a ublk device holds.', { ...v2, minimum: 1 }),
  bool('deleting-confirmation-flag', 'false', 'Must be true before the volume manager can be uninstalled.'),
  bool(
    'detach-manually-attached-volumes-when-cordoned',
    'false',
    'Detaches volumes that the API has attached to a node that is cordoned.',
  ),
  bool('disable-revision-counter', 'true', 'Leaves out the revision counter of replicas.', {
    engines: ['v1'],
    kept: 'replicas have no revision counter: the generation of the engine tells which has everything',
  }),
  int('engine-replica-timeout', '8', 'Seconds after which a replica that does not answer has failed.', {
    engines: bothEngines,
    minimum: 8,
    maximum: 30,
  }),
  bool(
    'fast-replica-rebuild-enabled',
    'true',
    'Skips layers in a rebuild that the replica already has, by their checksums.',
    {
      engines: bothEngines,
    },
  ),
  bool(
    'kubernetes-metrics-server-metrics-enabled',
    'true',
    'Reads the use of pods and nodes from the metrics server.',
    {
      kept: 'metrics of pods are not repeated here',
    },
  ),
  text('log-level', 'Info', 'Log level of the managers; with Info that of their flag --log-level counts.', {
    options: ['Panic', 'Fatal', 'Error', 'Warn', 'Info', 'Debug', 'Trace'],
  }),
  int('long-grpc-timeout', '86400', 'Seconds that a rebuild or clone may take.', {
    minimum: 1,
    kept: 'rebuilds and clones go on as long as they make progress',
  }),
  text('manager-url', '', 'URL under which clients outside the cluster reach the API; links are made from it.'),
  bool('node-disk-health-monitoring', 'true', 'Reads the health of disks.', {
    kept: 'the health of disks is not read',
  }),
  text(
    'node-down-pod-deletion-policy',
    'do-nothing',
    'Pods on a node that is down that are deleted, so that their volumes are free.',
    {
      options: [
        'do-nothing',
        'delete-statefulset-pod',
        'delete-deployment-pod',
        'delete-both-statefulset-and-deployment-pod',
      ],
    },
  ),
  text('node-drain-policy', 'block-if-contains-last-replica', 'When a node that has replicas may be drained.', {
    options: [
      'block-if-contains-last-replica',
      'allow-if-replica-is-stopped',
      'always-allow',
      'block-for-eviction',
      'block-for-eviction-if-contains-last-replica',
    ],
  }),
  bool('offline-replica-rebuilding', 'false', 'Rebuilds replicas of volumes that are detached.'),
  text('registry-secret', '', 'Secret for the registry of images that the manager starts pods of.'),
  int('replica-file-sync-http-client-timeout', '30', 'Seconds that the copy of a file may wait for an answer.', {
    minimum: 1,
    kept: 'layers are not copied over HTTP here',
  }),
  int('replica-rebuilding-bandwidth-limit', '0', 'Megabytes per second that a rebuild may take.', {
    ...v2,
    minimum: 0,
  }),
  int(
    'replica-replenishment-wait-interval',
    '600',
    'Seconds that a degraded volume waits for a failed replica to come back before it gets a new one.',
    { minimum: 0 },
  ),
  bool('rwx-volume-fast-failover', 'false', 'Moves shares of a node that is down faster.', { kept: notHere.shares }),
  int('support-bundle-failed-history-limit', '1', 'Failed support bundles that stay.', {
    minimum: 0,
    kept: notHere.bundles,
  }),
  int('support-bundle-node-collection-timeout', '30', 'Minutes that a support bundle waits for a node.', {
    minimum: 0,
    kept: notHere.bundles,
  }),
  text(
    'system-managed-pods-image-pull-policy',
    'if-not-present',
    'Image pull policy of pods that the manager starts.',
    {
      options: ['if-not-present', 'always', 'never'],
    },
  ),
  bool('upgrade-checker', 'true', 'Asks for new versions.', { kept: notHere.outside }),
  text(
    'upgrade-responder-url',
    'https://longhorn-upgrade-responder.rancher.io/v1/checkupgrade',
    'Server that is asked for new versions.',
    {
      kept: notHere.outside,
    },
  ),
] as const;
