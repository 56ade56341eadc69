import type { EnsureEngine, EnsureFrontend, ReplicaAddress } from '@lateen/block-engine';
import { type Engine, int64Of, storageAnnotations } from '@lateen/storage-types';
import { nameOf } from '../volume/replica-facts.ts';
import type { EngineSeen } from './engine-seen.ts';

/** The request to start an engine with exactly the replicas that the volume controller allowed. */
export function ensureEngineOf(
  { engine, volumeUid, replicas, settings }: EngineSeen,
  generation: number,
): EnsureEngine {
  const { annotations = {} } = engine.metadata;
  const addresses = Object.entries(engine.spec.replicaAddressMap ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const readPrimary = annotations[storageAnnotations.readPrimary];
  const clean = generation === 1 || annotations[storageAnnotations.cleanStop] === String(generation - 1);
  const nodes = new Map(replicas.map((replica) => [nameOf(replica), replica.spec.nodeID]));
  return {
    name: nameOf(engine),
    volume: engine.spec.volumeName ?? '',
    volumeUid,
    generation,
    sizeBytes: int64Of(engine.spec.volumeSize) ?? 0n,
    replicas: addresses.map(([name, address]) => addressOf(name, address, nodes.get(name) === engine.spec.nodeID)),
    ...(readPrimary === undefined ? {} : { readPrimary }),
    replyTimeoutMs: settings.number('engine-replica-timeout') * 1000,
    compareHeads: !clean,
    record: {
      namespace: engine.metadata.namespace ?? '',
      engine: nameOf(engine),
      engineUid: engine.metadata.uid ?? '',
      replicas: Object.fromEntries(addresses.map(([name]) => [name, name])),
    },
  };
}

export function addressOf(replica: string, address: string, local: boolean): ReplicaAddress {
  const at = address.lastIndexOf(':');
  return { replica, host: address.slice(0, at), port: Number(address.slice(at + 1)), local };
}

export const ensureFrontendOf = (engine: Engine, generation: number): EnsureFrontend => ({
  name: nameOf(engine),
  volume: engine.spec.volumeName ?? '',
  engine: nameOf(engine),
  generation,
  sizeBytes: int64Of(engine.spec.volumeSize) ?? 0n,
  readOnly: false,
});
