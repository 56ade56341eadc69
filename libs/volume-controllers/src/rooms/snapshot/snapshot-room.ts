import { apiTime, keyOf } from '@lateen/kube';
import { watches } from '@lateen/kube-runtime';
import {
  type Engine,
  generationOf,
  longhornFinalizer,
  type Snapshot,
  type SnapshotStatus,
  snapshotType,
} from '@lateen/storage-types';
import { decideSnapshot, type SnapshotEffect, type SnapshotSeen } from '@lateen/volume-decisions';
import { clonesOf, sourceOf } from '../../frame/clones-of.ts';
import type { Pass, Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { volumeOf } from '../../frame/volume-of.ts';
import { within } from '../../hosts/host-calls.ts';
import { followsVolume } from '../../owner/follows-volume.ts';

/** Snapshots processed in parallel. */
const workers = 8;

/** The controller of Snapshots: it takes them, writes the reports of engines into their status, and removes them with their data. */
export function snapshotRoom(context: RoomContext): Room<Snapshot, SnapshotSeen, SnapshotEffect> {
  const { caches, self, settings } = context;
  return {
    name: 'snapshot',
    type: snapshotType,
    informer: caches.snapshots,
    ownership: ({ spec }) => followsVolume(context, spec.volume),
    watches: [
      watches(caches.engines, ({ object }) =>
        caches.snapshots.byIndex('volume', object.spec.volumeName ?? '').map(keyOf),
      ),
      watches(caches.volumes, ({ object }) =>
        [object.metadata.name ?? '', sourceOf(object)].flatMap((name) =>
          caches.snapshots.byIndex('volume', name).map(keyOf),
        ),
      ),
      watches(caches.backups, ({ object }) => {
        const { snapshotName = '' } = object.spec;
        const { namespace } = object.metadata;
        return snapshotName === '' ? [] : [{ ...(namespace === undefined ? {} : { namespace }), name: snapshotName }];
      }),
    ],
    workers,
    gather: (snapshot) => {
      const { volume: name } = snapshot.spec;
      const volume = volumeOf(caches, context.namespace, name);
      const engine = caches.engines.byIndex('volume', name)[0];
      return {
        snapshot,
        ...(volume === undefined ? {} : { volume }),
        ...(engine === undefined ? {} : { engine }),
        backups: caches.backups.byIndex('snapshot', snapshot.metadata.name ?? ''),
        clones: clonesOf(caches, name)
          .filter(({ status }) => status?.cloneStatus?.snapshot === snapshot.metadata.name)
          .map(({ metadata }) => metadata.name ?? ''),
        settings: settings(),
      };
    },
    decide: (seen, nowMs) => {
      const decision = decideSnapshot(seen, nowMs);
      return { ...decision, status: { ...decision.status, ownerID: self } };
    },
    apply: (effect, pass) => apply(context, effect, pass),
  };
}

async function apply(
  context: RoomContext,
  effect: SnapshotEffect,
  pass: Pass<Snapshot, SnapshotSeen>,
): Promise<Partial<SnapshotStatus> | undefined> {
  const { object, seen, writes, signal } = pass;
  switch (effect.do) {
    case 'add-finalizer':
      await writes.change(snapshotType, object, withFinalizer);
      return undefined;
    case 'drop-finalizer':
      await writes.release(snapshotType, object, longhornFinalizer);
      return undefined;
    default:
      if (seen.engine !== undefined) await onEngine(context, effect, object, seen.engine, signal);
      return undefined;
  }
}

const withFinalizer = (snapshot: Snapshot): Snapshot => {
  const { finalizers = [] } = snapshot.metadata;
  return { ...snapshot, metadata: { ...snapshot.metadata, finalizers: [...finalizers, longhornFinalizer] } };
};

async function onEngine(
  { hosts, clock }: RoomContext,
  effect: Exclude<SnapshotEffect, { do: 'add-finalizer' | 'drop-finalizer' }>,
  { metadata }: Snapshot,
  engine: Engine,
  signal: AbortSignal,
): Promise<void> {
  const { name: snapshot = '' } = metadata;
  const { name: of = '' } = engine.metadata;
  const host = hosts.host(engine.spec.nodeID ?? '', { kind: 'engine', name: of });
  const request = { engine: of, generation: generationOf(engine) ?? 0, snapshot };
  switch (effect.do) {
    case 'take-snapshot': {
      const { labels, freeze } = effect;
      const created = apiTime(clock.now());
      const taken = { ...request, userCreated: true, created, labels: { ...labels }, freeze };
      await within(clock, 'engine', signal, (call) => host.engineSnapshot(taken, call));
      return;
    }
    case 'mark-removed':
      return await within(clock, 'engine', signal, (call) => host.engineSnapshotDelete(request, call));
    default:
      return effect satisfies never;
  }
}
