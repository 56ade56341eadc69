import { storageAnnotations } from '@lateen/storage-types';
import { nameOf } from '../volume-sight.ts';
import type { FindIn } from './finding.ts';

/** Replicas that are being built in a better place, and the ones that they replace. */
export const balance: FindIn = ({ replicas, standings }) =>
  replicas.flatMap((replica) => {
    const { annotations = {} } = replica.metadata;
    const old = standings.find(({ name }) => name === annotations[storageAnnotations.replaces]);
    const own = standings.find(({ name }) => name === nameOf(replica));
    if (old === undefined || own === undefined || [old.state, own.state].includes('deleting')) return [];
    const because = annotations[storageAnnotations.replacesBecause] ?? 'no cause is recorded';
    const text =
      own.state === 'failed'
        ? `${old.name} stays on ${old.node}: its replacement ${own.name} on ${own.node} failed: ${own.cause}; another node may have it soon, this one in ten minutes`
        : `${old.name} moves from ${old.node} to ${own.node} (${because}): it is deleted when ${own.name} has all the data`;
    return [{ reason: 'Balancing', weight: 'waits' as const, text }];
  });

/** All replicas are scheduled, but none is where data locality requires one. */
export const locality: FindIn = ({ volume }) => {
  const scheduled = volume.status?.conditions?.find(({ type }) => type === 'Scheduled');
  if (scheduled?.status !== 'True' || scheduled.reason !== 'LocalReplicaSchedulingFailure') return [];
  const text = `${scheduled.message}; it is checked again every five minutes`;
  return [{ reason: scheduled.reason, weight: 'waits', text }];
};

/** The volume is attached only to rebuild its replicas. */
export const offlineRebuild: FindIn = ({ volume }) => {
  const condition = volume.status?.conditions?.find(({ type }) => type === 'OfflineRebuilding');
  if (condition?.status !== 'True') return [];
  return [{ reason: 'OfflineRebuilding', weight: 'waits', text: condition.message ?? '' }];
};
