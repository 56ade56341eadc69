import { rowsOf } from '../setting-definition.ts';

const { bool, int, text } = rowsOf('scheduling');

export const schedulingSettings = [
  bool('allow-empty-disk-selector-volume', 'true', 'Puts volumes without a disk selector on disks that have tags.'),
  bool('allow-empty-node-selector-volume', 'true', 'Puts volumes without a node selector on nodes that have tags.'),
  bool(
    'allow-volume-creation-with-degraded-availability',
    'true',
    'Allows a volume to be created and attached while not all of its replicas are scheduled.',
  ),
  bool('disable-scheduling-on-cordoned-node', 'true', 'Puts no replica on a node that is cordoned.'),
  text('replica-auto-balance', 'disabled', 'Whether replicas move for an even spread over nodes and zones.', {
    options: ['disabled', 'least-effort', 'best-effort'],
  }),
  int(
    'replica-auto-balance-disk-pressure-percentage',
    '90',
    'How full a disk may be before best-effort balancing moves a replica to another disk of the node; 0: never.',
    { minimum: 0, maximum: 100 },
  ),
  bool('replica-disk-soft-anti-affinity', 'true', 'Allows two replicas of a volume on one disk.'),
  bool('replica-soft-anti-affinity', 'false', 'Allows two replicas of a volume on one node.'),
  bool('replica-zone-soft-anti-affinity', 'true', 'Allows two replicas of a volume in one zone.'),
  int('storage-minimal-available-percentage', '25', 'Share of a disk that stays free.', { minimum: 0, maximum: 100 }),
  int('storage-over-provisioning-percentage', '100', 'Share of a disk that may be promised to volumes.', {
    minimum: 0,
  }),
  int('storage-reserved-percentage-for-default-disk', '30', 'Share of a new default disk that is reserved.', {
    minimum: 0,
    maximum: 100,
  }),
] as const;
