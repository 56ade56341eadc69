import { keyText } from '@lateen/kube';
import { type Watch, watches } from '@lateen/kube-runtime';
import { type Engine, engineType, snapshotType, type Volume, volumeType } from '@lateen/storage-types';
import { type CloneEffect, type CloneSeen, decideClone, volumeOfCloneTransfer } from '@lateen/volume-decisions';
import { sourceOf } from '../../frame/clones-of.ts';
import type { Pass, Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { ownerOf } from '../../owner/ownership.ts';
import { cloneFacts } from './clone-facts.ts';
import { startClone, stopClone } from './clone-transfer.ts';

/** Objects worked on in parallel; the hosts do the copying. */
const workers = 8;

/**
 * Fills volumes that begin with the data of another one: takes a snapshot if none is named, and the host of the clone's engine copies it from a
 * replica of the source. The owner of the clone does it.
 */
export function cloneRoom(context: RoomContext): Room<Volume, CloneSeen, CloneEffect> {
  const { caches, namespace, self } = context;
  const keys = (names: readonly (string | undefined)[]) =>
    names.flatMap((name) => (name === undefined || name === '' ? [] : [{ namespace, name }]));
  const clonesOf = (source: string | undefined) =>
    source === undefined || source === ''
      ? []
      : keys(caches.volumes.byIndex('clonedFrom', source).map(({ metadata }) => metadata.name));
  return {
    name: 'clone',
    type: volumeType,
    informer: caches.volumes,
    ownership: (volume) => ((volume.spec.dataSource ?? '') !== '' && ownerOf(volume) === self ? 'mine' : 'leave'),
    watches: [
      watches(caches.volumes, ({ object }) => clonesOf(object.metadata.name)),
      watches(caches.snapshots, ({ object }) => clonesOf(object.spec.volume)),
      watches(caches.engines, ({ object: { spec } }) => [...keys([spec.volumeName]), ...clonesOf(spec.volumeName)]),
      watchedTransfers(context),
    ],
    workers,
    gather: (volume) => cloneFacts(context, volume),
    decide: decideClone,
    apply: async (effect, pass) => {
      await apply(context, effect, pass);
      return undefined;
    },
  };
}

/** A transfer's name contains that of its volume; when a host starts or stops answering, all clones are queued. */
function watchedTransfers({ caches, hosts, namespace }: RoomContext): Watch {
  return {
    informer: caches.volumes,
    feed: (queue) => {
      hosts.onChange(({ instances }) => {
        const names =
          instances === 'all'
            ? caches.volumes.list().flatMap((volume) => (sourceOf(volume) === '' ? [] : [volume.metadata.name]))
            : instances.map(({ kind, name }) => (kind === 'transfer' ? volumeOfCloneTransfer(name) : undefined));
        for (const name of names) if (name !== undefined) queue.add(keyText({ namespace, name }));
      });
    },
  };
}

async function apply(context: RoomContext, effect: CloneEffect, pass: Pass<Volume, CloneSeen>): Promise<void> {
  const { object, seen, writes } = pass;
  switch (effect.do) {
    case 'create-snapshot':
      return await writes.create(snapshotType, effect.object);
    case 'delete-snapshot':
      return seen.snapshot && (await writes.delete(snapshotType, seen.snapshot));
    case 'mark-filled':
      return seen.engine && (await writes.change(engineType, seen.engine, filled));
    case 'start-clone':
      return await startClone(context, effect, pass);
    case 'stop-clone':
      return await stopClone(context, object, effect.attempt, pass.signal);
    default:
      return effect satisfies never;
  }
}

const filled = (engine: Engine): Engine => ({ ...engine, spec: { ...engine.spec, requestedDataSource: '' } });
