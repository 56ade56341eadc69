import type { Instance } from '@lateen/block-engine';
import { type EngineSnapshot, int64Of, type Replica } from '@lateen/storage-types';
import { whatToPurge } from '../snapshot/purgeable.ts';
import { wholeSet } from '../volume/fold-failures.ts';
import { byName, failureCauseOf, isFailed, modeOf, nameOf } from '../volume/replica-facts.ts';
import { isBeingDeleted, addressOf as servedAt } from '../volume/volume-facts.ts';
import { addressOf } from './engine-requests.ts';
import type { EngineEffect, EngineSeen } from './engine-seen.ts';

/**
 * The requests to a running engine: one replica to drop, one to rebuild, its size, and the purge of removed snapshots when no replica has to be
 * rebuilt. `snapshots`: those of the engine, as its status has them.
 */
export function workOfEngine(
  seen: EngineSeen,
  generation: number,
  instance: Instance,
  snapshots: Readonly<Record<string, EngineSnapshot>>,
): EngineEffect[] {
  const engine = nameOf(seen.engine);
  const facts = instance.engine;
  if (facts === undefined) return [];
  const sizeBytes = int64Of(seen.engine.spec.volumeSize) ?? 0n;
  // Only after the growth is recorded: other controllers leave its replicas alone then.
  const grows = sizeBytes > facts.sizeBytes && seen.engine.status?.isExpanding === true;
  const drop = toDrop(seen, facts.modes);
  const add =
    facts.rebuild === undefined || facts.rebuild.error !== undefined ? toAdd(seen, generation, facts.modes) : [];
  const what = add.length > 0 ? undefined : whatToPurge(snapshots, facts, seen.settings);
  return [
    // The drop comes first: the replica that blocks the growth may be the one that is dropped, and effects after a failed one are skipped.
    ...drop.map((request) => ({ do: 'drop-replica', request: { engine, generation, ...request } }) as const),
    ...(grows ? [{ do: 'grow', request: { engine, generation, sizeBytes } } as const] : []),
    ...add.map((request) => ({ do: 'add-replica', request: { engine, generation, ...request } }) as const),
    ...(what === undefined ? [] : [{ do: 'purge', request: { engine, generation }, what } as const]),
  ];
}

/** A replica that is being deleted or was failed by another controller, also one whose rebuild was abandoned; never the last one in use. */
function toDrop({ engine, replicas }: EngineSeen, modes: Readonly<Record<string, string>>) {
  const goes = (replica: Replica) => isBeingDeleted(replica) || (isFailed(replica) && !isAskedToBeRebuilt(replica));
  const used = (replica: Replica) => modes[nameOf(replica)] !== undefined && modeOf(engine, nameOf(replica)) !== 'ERR';
  const going = [...replicas].sort(byName).filter((replica) => used(replica) && goes(replica));
  const stays = replicas.some(
    (replica) => modes[nameOf(replica)] === 'RW' && used(replica) && !going.includes(replica),
  );
  return going
    .filter((replica) => stays || modes[nameOf(replica)] === 'WO')
    .slice(0, 1)
    .map((replica) => {
      const cause = isBeingDeleted(replica) ? 'deleted' : 'failed';
      const message = isBeingDeleted(replica) ? 'it is being deleted' : failureCauseOf(replica);
      return { replica: nameOf(replica), cause, message };
    });
}

/** Its data has to be copied from others, and it is not being deleted. */
export const isAskedToBeRebuilt = (replica: Replica): boolean =>
  replica.spec.desireState === 'running' && (replica.spec.healthyAt ?? '') === '' && !isBeingDeleted(replica);

/**
 * A replica whose rebuild was requested, that serves this generation, and whose last failure is folded. A rebuild that was begun and has no caller
 * any more, because the caller died or was unreachable, is requested again: it continues where it stopped.
 */
function toAdd(seen: EngineSeen, generation: number, modes: Readonly<Record<string, string>>) {
  const { engine, replicas, managers, settings } = seen;
  const whole = wholeSet(engine);
  const next = [...replicas].sort(byName).find((replica) => {
    const name = nameOf(replica);
    if (!isAskedToBeRebuilt(replica) || whole.has(name) || modes[name] === 'RW') return false;
    return ['WO', undefined].includes(modeOf(engine, name));
  });
  const address = next === undefined ? undefined : servedAt(next, generation);
  if (next === undefined || address === undefined) return [];
  const taking = replicas.filter((replica) => replica === next || modes[nameOf(replica)] === 'RW');
  const reached = taking.flatMap((replica) => {
    const manager = managers.get(replica.spec.nodeID ?? '');
    return manager === undefined ? [] : [[nameOf(replica), manager] as const];
  });
  const copiesAtOnce =
    engine.spec.rebuildConcurrentSyncLimit || settings.number('replica-rebuild-concurrent-sync-limit');
  return [
    {
      replica: addressOf(nameOf(next), address, next.spec.nodeID === engine.spec.nodeID),
      managers: Object.fromEntries(reached),
      fast: settings.flag('fast-replica-rebuild-enabled'),
      copiesAtOnce,
    },
  ];
}
