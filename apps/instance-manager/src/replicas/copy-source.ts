import { hostError, type ReplicaLayer } from '@lateen/block-engine';
import { openLeased } from '@lateen/instance-host';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { LayerSource, SourceLayer } from '@lateen/replica-store';
import type { LayerPeer } from './replica-ports.ts';

export interface CopySourceOptions {
  peer: LayerPeer;
  of: { replica: string; volumeUid: string; generation: number };
  /** Layers that are present with an equal sum are kept. */
  fast: boolean;
  exportKey(): Promise<Uint8Array>;
  clock: Clock;
  random: Random;
  log: Logger;
}

/** The layers of a replica on another node. While a layer is read, its lease is renewed. */
export function copySource(o: CopySourceOptions): LayerSource {
  const { peer, of, fast } = o;
  return {
    layers: async (call) => (await peer.control.layers(of, call)).layers.map((layer) => sourceLayer(layer, fast)),
    open: async (snapshot, call) => {
      const { exportKey, clock, random, log } = o;
      const { host, connect } = peer;
      const request = { replica: of.replica, snapshot, layerAlone: true };
      return (await openLeased({ host, connect, exportKey, clock, random, log }, request, call)).link;
    },
  };
}

function sourceLayer(layer: ReplicaLayer, fast: boolean): SourceLayer {
  const { name, parent, created, userCreated, labels, removed, sum, volumeBytes } = layer;
  if (volumeBytes <= 0n) throw hostError('REPLICA_CORRUPT', `layer ${name} of the source has no size`);
  const snapshot = { name, createdAt: created, userCreated, labels, removed };
  return {
    // Without its sum, a layer is never taken for the one that is present here.
    snapshot: fast && sum !== undefined ? { ...snapshot, sum: { sha256: sum, at: created } } : snapshot,
    parent,
    sizeBytes: volumeBytes,
  };
}
