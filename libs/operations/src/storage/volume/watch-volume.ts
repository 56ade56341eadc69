import { type CoreEvent, eventType } from '@lateen/api-types';
import { silentLogger } from '@lateen/kernel';
import { informer } from '@lateen/kube-runtime';
import {
  type Engine,
  engineType,
  type LonghornNode,
  longhornNodeType,
  type Replica,
  replicaType,
  type Snapshot,
  snapshotType,
  storageLabels,
  type Volume,
  type VolumeAttachmentObject,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import type { FollowStoragePorts } from '../follow-storage.ts';
import { activeEngine, type SurroundingObjects, surroundingsOf } from './find-volume.ts';
import { nameOf, type VolumeSight } from './volume-sight.ts';

/** A volume and its related objects, kept up to date by watches. */
export interface WatchedVolume {
  /** Undefined before the first read and after the deletion of the volume. */
  sight(): VolumeSight | undefined;
  onChange(handler: () => void): void;
  /** Runs until `signal` aborts. A watch that breaks is restarted. */
  run(signal: AbortSignal): Promise<void>;
}

/** @param around the state at the beginning: its nodes are followed; the rest changes rarely */
export function watchVolume(ports: FollowStoragePorts, volume: Volume, around: SurroundingObjects): WatchedVolume {
  const { namespace = '', name = '', uid = '' } = volume.metadata;
  const base = { api: ports.kube, clock: ports.clock, random: ports.random, namespace, log: silentLogger };
  const named = { ...base, fieldSelector: `metadata.name=${name}` };
  const labelled = { ...base, labelSelector: `${storageLabels.volume}=${name}` };
  const volumes = informer<Volume>({ ...named, type: volumeType });
  const attachments = informer<VolumeAttachmentObject>({ ...named, type: volumeAttachmentObjectType });
  const engines = informer<Engine>({ ...labelled, type: engineType });
  const replicas = informer<Replica>({ ...labelled, type: replicaType });
  const snapshots = informer<Snapshot>({ ...labelled, type: snapshotType });
  const nodes = informer<LonghornNode>({ ...base, type: longhornNodeType });
  const events = informer<CoreEvent>({ ...base, type: eventType, fieldSelector: `involvedObject.uid=${uid}` });
  const all = [volumes, attachments, engines, replicas, snapshots, nodes, events];
  return {
    sight: () => {
      const [seen] = volumes.list();
      if (seen === undefined) return undefined;
      return {
        volume: seen,
        engine: activeEngine(engines.list()),
        replicas: replicas.list().toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
        attachment: attachments.list()[0],
        snapshots: snapshots.list(),
        events: events.list(),
        surroundings: surroundingsOf({ ...around, nodes: nodes.list() }),
      };
    },
    onChange: (handler) => {
      for (const each of all) each.onChange(handler);
    },
    run: async (signal) => {
      await Promise.all(all.map((each) => each.run(signal)));
    },
  };
}
