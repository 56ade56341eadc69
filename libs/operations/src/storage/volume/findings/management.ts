import { nameOf } from '../volume-sight.ts';
import type { FindIn } from './finding.ts';

/** Whether any manager is responsible for the volume. */
export const management: FindIn = ({ volume, surroundings: { nodes } }) => {
  const owner = volume.status?.ownerID ?? '';
  if (owner === '')
    return [
      {
        reason: 'NoManager',
        weight: 'trouble',
        text: 'no manager has taken the volume yet',
        next: `See whether the volume manager runs: kubectl get pods -n ${volume.metadata.namespace}`,
      },
    ];
  const ready = nodes.get(owner)?.status?.conditions?.find(({ type }) => type === 'Ready');
  if (nodes.has(owner) && ready?.status !== 'False') return [];
  const why = nodes.has(owner) ? ready?.message : `node ${owner} is not part of the cluster any more`;
  return [
    {
      reason: 'ManagerDown',
      weight: 'waits',
      text: `the manager of ${owner}, which looks after the volume, is down: ${why}`,
      next: 'The manager of another node takes the volume. If none does, see: lateen storage node list',
    },
  ];
};

export const deletion: FindIn = ({ volume, attachment }) => {
  if (volume.metadata.deletionTimestamp === undefined) return [];
  const tickets = Object.values(attachment?.spec.attachmentTickets ?? {});
  return [
    {
      reason: 'BeingDeleted',
      weight: 'waits',
      text: `it is being deleted since ${volume.metadata.deletionTimestamp}, with all its data`,
      details: tickets.map(({ id, type, nodeID }) => `ticket ${id} (${type}) still requests it on ${nodeID}`),
      ...(tickets.length === 0
        ? {}
        : { next: `Release it with: lateen storage volume detach ${nameOf(volume)} --force` }),
    },
  ];
};
