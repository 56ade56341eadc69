import { apiTime } from '@lateen/kube';
import { decideSalvage, foldFailures, missingData, wholeSet } from '@lateen/volume-decisions';
import type { ReplicaStanding } from '../replica-standing.ts';
import { nameOf } from '../volume-sight.ts';
import type { FindIn, Finding, Looked } from './finding.ts';

/** Failures that only the engine has recorded. Until the replicas have them, no part of the volume is started, not even reads after a restart. */
export const unrecorded: FindIn = ({ engine, replicas, nowMs, volume }) => {
  const { failures } = foldFailures(engine, replicas, nowMs);
  if (failures.length === 0) return [];
  return [
    {
      reason: 'FailureNotRecorded',
      weight: 'waits',
      text: 'the engine has recorded a failure that the replica does not have yet; until it is written there, nothing of the volume is started',
      details: failures.map(({ replica, cause }) => `${replica}: ${cause}`),
      next: `The manager on ${volume.status?.ownerID || 'its node'} writes it at its next pass. If this does not end, read the log of that manager`,
    },
  ];
};

/** The data is not on the disks of this cluster: then no other finding matters. */
export const absence: FindIn = ({ volume, engine, replicas }) => {
  const found = missingData({ volume, replicas, ...(engine === undefined ? {} : { engine }) });
  if (found === undefined) return [];
  return [{ reason: 'DataMissing', weight: 'trouble', text: found.text, next: found.next }];
};

/** Why the data is less safe than requested. */
export const safety: FindIn = (looked) => {
  const { volume } = looked;
  const { robustness, lastDegradedAt } = volume.status ?? {};
  if (robustness === 'faulted') return absence(looked).length > 0 ? [] : [faulted(looked)];
  if (robustness !== 'degraded') return [];
  const since = (lastDegradedAt ?? '') === '' ? '' : ` since ${lastDegradedAt}`;
  const inUse = looked.standings.filter(({ state }) => state === 'in use').length;
  return [
    {
      reason: 'Degraded',
      weight: 'trouble',
      text: `degraded${since}: ${inUse} of ${wanted(looked)} replicas have all the data and are in use`,
      details: lacking(looked),
      next: nextForDegraded(looked),
    },
  ];
};

const wanted = ({ volume }: Looked): number => volume.spec.numberOfReplicas ?? 1;

/** One line for each replica that is not in use, and one for the missing replicas. */
function lacking(looked: Looked): string[] {
  const lines = looked.standings.filter(({ state }) => state !== 'in use').map((each) => lineOf(each, looked));
  // A failed replica is reported already: it is used again, or another one is created in its place.
  const missing = wanted(looked) - looked.standings.filter(({ state }) => state !== 'deleting').length;
  if (missing > 0) lines.push(missing === 1 ? 'one replica is missing' : `${missing} replicas are missing`);
  return lines;
}

function lineOf(standing: ReplicaStanding, { volume }: Looked): string {
  const { name, node, state, cause, failedAt, progressPercent, rebuildRetries } = standing;
  const where = node === '' ? name : `${name} on ${node}`;
  const retries = rebuildRetries > 0 ? `; ${rebuildRetries} of its rebuilds have failed` : '';
  if (state === 'failed') return `${where} failed${failedAt === '' ? '' : ` at ${failedAt}`}: ${cause}${retries}`;
  if (state === 'rebuilding')
    return cause === ''
      ? `${where} is being rebuilt${progressPercent === undefined ? '' : `, ${progressPercent} %`}`
      : `${where}: its rebuild has failed: ${cause}${retries}`;
  if (state === 'no place') return `${where} cannot be scheduled${cause === '' ? '' : `: ${cause}`}`;
  if (state === 'waiting' || state === 'ready')
    return `${where} ${volume.status?.state === 'attached' ? 'has not been rebuilt yet' : 'is not in use'}${cause === '' ? '' : `: ${cause}`}`;
  return `${where} is being deleted`;
}

function nextForDegraded({ standings, volume, surroundings, nowMs }: Looked): string {
  const name = nameOf(volume);
  if (standings.some(({ state }) => state === 'rebuilding'))
    return `Watch it with: lateen storage volume describe ${name} --watch`;
  if (standings.some(({ state }) => state === 'no place'))
    return 'Make room for it: see "lateen storage disk list" and the reasons for which scheduling failed';
  const since = Date.parse(volume.status?.lastDegradedAt ?? '');
  const waitMs = surroundings.settings.number('replica-replenishment-wait-interval') * 1000;
  const until = since + waitMs;
  const again = 'A replica that failed is used again when its node and disk are back';
  return Number.isNaN(until) || until <= nowMs
    ? `${again}; a new replica is created as soon as it can be scheduled`
    : `${again}; a new replica is created after ${apiTime(until)}`;
}

function faulted(looked: Looked): Finding {
  const { volume, engine, replicas, standings, surroundings } = looked;
  const { cluster, settings } = surroundings;
  const name = nameOf(volume);
  const whole = wholeSet(engine);
  const decided = decideSalvage({ volume, replicas, cluster, settings, ...(engine === undefined ? {} : { engine }) });
  const last = standings.filter((each) => whole.has(each.name)).map((each) => each.name);
  const details = [
    ...standings.map((each) => lineOf(each, looked)),
    ...(last.length > 0 ? [`has every acknowledged write: ${last.join(', ')}`] : []),
  ];
  const base = { reason: 'Faulted', weight: 'trouble', text: 'faulted: no replica can be used', details } as const;
  const byHand = `lateen storage volume salvage ${name} --replica NAME`;
  if (decided.kind === 'wait')
    return {
      ...base,
      details: [...details, decided.because],
      next: `Bring back the node or disk of one of ${decided.replicas.join(', ')}. To continue without them, with what may be older: ${byHand}`,
    };
  if (decided.kind === 'salvage')
    return {
      ...base,
      next: `${decided.replicas.join(', ')} ${decided.replicas.length === 1 ? 'is' : 'are'} salvaged automatically; nothing needs to be done`,
    };
  if (!settings.flag('auto-salvage'))
    return { ...base, next: `The setting auto-salvage is false. Salvage replicas with: ${byHand}` };
  if (volume.status?.state !== 'detached') return { ...base, next: 'It is salvaged once it is detached' };
  return { ...base, next: `No replica recovers automatically. Restore a backup, or choose a replica: ${byHand}` };
}

/** Replicas that may lack writes which were acknowledged but not flushed. */
export const killed: FindIn = ({ standings }) => {
  const every = standings.filter(({ killedIn }) => killedIn !== undefined);
  const all = every.length === standings.length;
  // A replica that has failed too is rebuilt before it is used, so nothing more is reported about it.
  const found = all ? every : every.filter(({ state }) => state !== 'failed');
  if (found.length === 0) return [];
  return [
    {
      reason: all ? 'AllReplicasKilled' : 'ReplicaKilled',
      weight: all ? 'trouble' : 'waits',
      text: all
        ? 'the process of every replica was killed while it was in use: writes that were acknowledged and not flushed may be missing'
        : 'the process of a replica was killed while it was in use: it is not read until it has been compared with a replica that was not killed',
      details: found.map(({ name, node, killedIn }) => `${name} on ${node}, in start ${killedIn} of the engine`),
    },
  ];
};
