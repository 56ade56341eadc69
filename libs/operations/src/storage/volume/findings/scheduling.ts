import type { FindIn } from './finding.ts';

/** Replicas that could not be scheduled. The finding of a degraded volume says so itself; this one is for volumes that are not degraded. */
export const scheduling: FindIn = ({ volume, standings, surroundings: { nodes } }) => {
  const scheduled = volume.status?.conditions?.find(({ type }) => type === 'Scheduled');
  if (scheduled?.status !== 'False') return [];
  if (scheduled.reason === 'NotSupported') {
    const next = 'Remove that from its spec, or delete the volume';
    return [
      { reason: scheduled.reason, weight: 'trouble', text: `nothing is created for it: ${scheduled.message}`, next },
    ];
  }
  const without = standings.filter(({ state }) => state === 'no place').map(({ name }) => name);
  const closed = [...nodes.values()].flatMap(({ metadata, spec, status }) => {
    const holds = status?.conditions?.find(({ type }) => type === 'Schedulable');
    if (spec.allowScheduling === false) return [`node ${metadata.name} allows no scheduling`];
    if (holds?.status === 'False') return [holds.message ?? `node ${metadata.name} is not schedulable`];
    return Object.entries(status?.diskStatus ?? {}).flatMap(([disk, { conditions }]) => {
      const room = conditions?.find(({ type, status: is }) => type === 'Schedulable' && is === 'False');
      const open = spec.disks?.[disk]?.allowScheduling !== false;
      if (room !== undefined) return [room.message ?? `disk ${disk} of ${metadata.name} is not schedulable`];
      return open ? [] : [`disk ${disk} of ${metadata.name} allows no scheduling`];
    });
  });
  return [
    {
      reason: scheduled.reason || 'NotScheduled',
      weight: 'trouble',
      text: `a replica cannot be scheduled: ${scheduled.message || 'no cause is recorded'}`,
      details: [...(without.length > 0 ? [`not scheduled: ${without.join(', ')}`] : []), ...closed],
      next: 'Add a disk or a node, make room, or ask for fewer replicas; it is tried again every 30 seconds',
    },
  ];
};
