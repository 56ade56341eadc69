import type { AttachmentTicket } from '@lateen/storage-types';
import {
  checkAttach,
  checkDetach,
  checkReplicaRemove,
  checkSalvage,
  type ReplicaFactsForRemoval,
} from '@lateen/volume-decisions';
import { notFound } from '../errors/error-body.ts';
import { nameOf } from '../format/given.ts';
import { activeEngine } from '../format/volume/volume-seen.ts';
import { type DecideAction, factsOf, unlessRefused, type VolumeActionSeen } from './volume-action-seen.ts';

/** The ticket with the id of before takes its place; its generation grows when something in it changes. */
export const attach: DecideAction = (input, seen) => {
  const node = input.text('hostId');
  const scheduledReplicas = seen.replicas.filter(({ spec }) => (spec.nodeID ?? '') !== '').length;
  unlessRefused(checkAttach({ ...factsOf(seen), node, nodeIsReady: seen.readyNodes.has(node), scheduledReplicas }));
  const id = input.text('attachmentID');
  const wanted = {
    id,
    type: (input.text('attacherType') || 'longhorn-api') as NonNullable<AttachmentTicket['type']>,
    nodeID: node,
    parameters: { disableFrontend: String(input.flag('disableFrontend')), lastAttachedBy: input.text('attachedBy') },
  };
  const before = seen.attachment?.spec.attachmentTickets?.[id];
  return { intent: { do: 'put-ticket', ticket: { ...wanted, generation: generationOf(before, wanted) } } };
};

function generationOf(before: AttachmentTicket | undefined, wanted: AttachmentTicket): number {
  const generation = before?.generation ?? 0;
  if (before === undefined) return 0;
  const isSame =
    before.type === wanted.type &&
    before.nodeID === wanted.nodeID &&
    before.parameters?.disableFrontend === wanted.parameters?.disableFrontend &&
    before.parameters?.lastAttachedBy === wanted.parameters?.lastAttachedBy;
  return isSame ? generation : generation + 1;
}

/** The node is not checked. A missing ticket was removed already. */
export const detach: DecideAction = (input, seen) => {
  unlessRefused(checkDetach(factsOf(seen)));
  const tickets = seen.attachment?.spec.attachmentTickets ?? {};
  const id = input.text('attachmentID');
  const ids = input.flag('forceDetach') ? Object.keys(tickets).sort() : Object.hasOwn(tickets, id) ? [id] : [];
  return { intent: { do: 'drop-tickets', ids } };
};

export const salvage: DecideAction = (input, seen) => {
  const replicas = input.texts('names');
  const engine = activeEngine(seen.engines);
  unlessRefused(checkSalvage({ ...seen, ...(engine && { engine }) }, replicas));
  return { intent: { do: 'salvage', replicas } };
};

export const replicaRemove: DecideAction = (input, seen) => {
  const all = removalFacts(seen);
  const name = input.text('name');
  const replica = all.find((one) => one.name === name);
  if (replica === undefined) throw notFound(`replica ${name} of volume ${nameOf(seen.volume)} is not there`);
  unlessRefused(checkReplicaRemove(nameOf(seen.volume), replica, all));
  return { intent: { do: 'delete-replica', replica: name } };
};

const removalFacts = ({ replicas }: VolumeActionSeen): ReplicaFactsForRemoval[] =>
  replicas.map((replica) => {
    const { healthyAt = '', failedAt = '', lastHealthyAt = '' } = replica.spec;
    const everHealthy = healthyAt !== '' || lastHealthyAt !== '';
    return { name: nameOf(replica), healthy: healthyAt !== '' && failedAt === '', everHealthy };
  });
