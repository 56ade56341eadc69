import { hostError, type ReplicaLayer, type StatusLink } from '@lateen/block-engine';
import { exportName } from '@lateen/instance-host';
import type { Clock, Logger } from '@lateen/kernel';
import type { LayerSource, SourceLayer } from '@lateen/replica-store';
import type { LayerPeer } from './replica-ports.ts';

export interface CopySourceOptions {
  peer: LayerPeer;
  of: { replica: string; volumeUid: string; generation: number };
  /** Layers that are there with an equal sum stay. */
  fast: boolean;
  exportKey(): Promise<Uint8Array>;
  clock: Clock;
  log: Logger;
}

/** The layers of a replica on another node. While one is read its lease is renewed. */
export function copySource(o: CopySourceOptions): LayerSource {
  const { peer, of, fast } = o;
  return {
    layers: async (call) => (await peer.control.layers(of, call)).layers.map((layer) => sourceLayer(layer, fast)),
    open: async (snapshot, { signal }) => {
      const request = { replica: of.replica, snapshot, layerAlone: true };
      const opened = await peer.host.openSnapshot(request, { signal });
      const name = exportName(await o.exportKey(), opened.export);
      const link = await peer.connect(opened.port, name, signal);
      const renewing = new AbortController();
      const ends = AbortSignal.any([signal, renewing.signal]);
      const renew = async () => {
        while (!ends.aborted) {
          await o.clock.sleep(opened.leaseMs / 3, ends);
          await peer.host.openSnapshot(request, { signal: ends }).catch((error: unknown) => {
            // The copy ends with its link when the source closes it; what cannot be asked now is asked again.
            if (!ends.aborted) o.log.debug({ snapshot, err: error }, 'a lease could not be renewed');
          });
        }
      };
      renew().catch(() => {});
      return withEnd(link, () => renewing.abort());
    },
  };
}

function withEnd(link: StatusLink, end: () => void): StatusLink {
  return new Proxy(link, {
    get: (target, property) => {
      if (property === Symbol.asyncDispose)
        return async () => {
          end();
          await target[Symbol.asyncDispose]();
        };
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function sourceLayer(layer: ReplicaLayer, fast: boolean): SourceLayer {
  const { name, parent, created, userCreated, labels, removed, sum, volumeBytes } = layer;
  if (volumeBytes <= 0n) throw hostError('REPLICA_CORRUPT', `layer ${name} of the source has no size`);
  const snapshot = { name, createdAt: created, userCreated, labels, removed };
  return {
    // Without its sum no layer is taken for the one that is here.
    snapshot: fast && sum !== undefined ? { ...snapshot, sum: { sha256: sum, at: created } } : snapshot,
    parent,
    sizeBytes: volumeBytes,
  };
}
