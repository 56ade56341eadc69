import { apiTime, listAll } from '@lateen/kube';
import {
  type Engine,
  engineType,
  generationOf,
  type Replica,
  replicaType,
  storageAnnotations,
  storageLabels,
  type Volume,
} from '@lateen/storage-types';
import { changedEngine, changedReplica, checkSalvage, wholeSet } from '@lateen/volume-decisions';
import { changeObject, type StoragePlace, unlessRefused } from '../change-object.ts';
import { type FollowStoragePorts, followStorage } from '../follow-storage.ts';
import { engineNoun, replicaNoun } from '../storage-nouns.ts';
import { activeEngine } from './find-volume.ts';
import { nameOf } from './volume-sight.ts';

/** What would be salvaged, for the person to agree to. */
export interface SalvagePlan {
  readonly replicas: readonly string[];
  /** Those of `replicas` of which it is not known that they have every acknowledged write. */
  readonly mayLackWrites: readonly string[];
  /** Has every acknowledged write and is not chosen. */
  readonly leftOut: readonly string[];
}

/** @throws AppError STORAGE_REFUSED */
export async function planSalvage(place: StoragePlace, volume: Volume, names: readonly string[]): Promise<SalvagePlan> {
  const { engine, replicas } = await read(place, volume);
  unlessRefused(checkSalvage({ volume, replicas }, names));
  const whole = wholeSet(engine);
  return {
    replicas: names,
    mayLackWrites: names.filter((name) => !whole.has(name)),
    leftOut: [...whole].filter((name) => !names.includes(name)).sort(),
  };
}

/** The manager clears the modes within a pass or two. */
const modesClearedMs = 60_000;

/**
 * Takes replicas of a faulted volume back, in the order that the manager keeps when it does so by itself: what the last engine has recorded
 * of them is cleared by a new start, the one that is read from is named, and last `spec.failedAt` goes. Each step may be repeated.
 * @throws AppError STORAGE_REFUSED, also when the volume has changed meanwhile
 */
export async function salvageVolume(
  ports: FollowStoragePorts,
  place: StoragePlace,
  volume: Volume,
  names: readonly string[],
) {
  const { engine, replicas } = await read(place, volume);
  unlessRefused(checkSalvage({ volume, replicas }, names));
  if (engine !== undefined) {
    const recorded = names.some((name) => engine.status?.replicaModeMap?.[name] === 'ERR');
    if (recorded) await clearModes(ports, place, engine, names);
    const first = newestOf(
      replicas.filter((each) => names.includes(nameOf(each))),
      wholeSet(engine),
    );
    await changeObject(place, engineNoun, nameOf(engine), (object) =>
      changedEngine(object, { do: 'read-from', replica: first }),
    );
  }
  const at = apiTime(ports.clock.now());
  for (const name of names)
    await changeObject(place, replicaNoun, name, (replica) =>
      (replica.spec.failedAt ?? '') === ''
        ? undefined
        : changedReplica(replica, { do: 'clear-failure', replica: name, at }),
    );
}

/** A new generation: the engine's room clears the modes, and lets nobody record anything beside it. */
async function clearModes(ports: FollowStoragePorts, place: StoragePlace, engine: Engine, names: readonly string[]) {
  await changeObject(place, engineNoun, nameOf(engine), (object) => {
    if (object.metadata.annotations?.[storageAnnotations.starting] !== undefined) return undefined;
    const kept = Object.entries(object.spec.replicaAddressMap ?? {}).filter(([name]) => wholeSet(object).has(name));
    return changedEngine(object, {
      do: 'begin-start',
      from: generationOf(object) ?? 0,
      nodeID: object.spec.nodeID ?? '',
      proof: (object.status?.currentState ?? 'stopped') === 'stopped' ? 'ended' : 'unproved',
      addresses: Object.fromEntries(kept),
      disableFrontend: object.spec.disableFrontend ?? false,
    });
  });
  const goal = `what the last engine has recorded of ${names.join(', ')} is cleared`;
  const look = (seen: Engine | undefined) =>
    names.every((name) => seen?.status?.replicaModeMap?.[name] !== 'ERR')
      ? ('done' as const)
      : { waits: `the manager on ${seen?.status?.ownerID || 'its node'} has not done so` };
  const key = { namespace: place.namespace, name: nameOf(engine) };
  await followStorage(ports, engineNoun, key, { look, goal, timeoutMs: modesClearedMs }, () => {}, place.signal);
}

/** One that has every acknowledged write if there is one, else the one that failed last. */
function newestOf(replicas: readonly Replica[], whole: ReadonlySet<string>): string {
  const at = ({ spec }: Replica): number => Date.parse(spec.failedAt ?? '') || 0;
  const best = replicas.filter((replica) => whole.has(nameOf(replica)));
  const sorted = [...(best.length > 0 ? best : replicas)].sort(
    (a, b) => at(b) - at(a) || (nameOf(a) < nameOf(b) ? -1 : 1),
  );
  return sorted[0] === undefined ? '' : nameOf(sorted[0]);
}

async function read({ kube, namespace, signal }: StoragePlace, volume: Volume) {
  const options = { namespace, signal, labelSelector: `${storageLabels.volume}=${nameOf(volume)}` };
  const [engines, replicas] = await Promise.all([
    listAll(kube, engineType, options),
    listAll(kube, replicaType, options),
  ]);
  return { engine: activeEngine(engines.items), replicas: replicas.items };
}
