import type { KubeObject } from '@lateen/kube';
import {
  backupResource,
  backupTargetResource,
  backupVolumeResource,
  engineImageResource,
  eventResource,
  instanceManagerResource,
  nodeResource,
  orphanResource,
  type Resource,
  recurringJobResource,
  settingResource,
  settingResources,
  tagResource,
  volumeAttachmentResource,
  volumeResource,
} from '@lateen/storage-rest';
import { settingsOf } from './settings-of.ts';
import type { StorageKind, StorageKinds, StorageReader } from './storage-reader.ts';
import { volumeSeen } from './volume-seen.ts';

/** All objects of one collection of the API. */
export interface Listing {
  /** Type of its resources, as the schemas name it. */
  readonly type: string;
  /** Kinds whose changes change the answer. */
  readonly kinds: readonly StorageKind[];
  list(reader: StorageReader, base: string): Resource[];
  one(reader: StorageReader, name: string, base: string): Resource | undefined;
  /** Last part of the collection's path, when it cannot be derived from the type. */
  readonly path?: string;
}

type Format<K extends StorageKind> = (object: StorageKinds[K], base: string, reader: StorageReader) => Resource;

/** One resource for each object of a kind. */
function plain<K extends StorageKind>(
  type: string,
  kind: K,
  format: Format<K>,
  also: readonly StorageKind[] = [],
): Listing {
  return {
    type,
    kinds: [kind, ...also],
    list: (reader, base) => reader.list(kind).map((object) => format(object, base, reader)),
    one: (reader, name, base) => {
      const object = reader.get(kind, name);
      return object === undefined ? undefined : format(object, base, reader);
    },
  };
}

/** A collection without objects in this volume manager. */
const empty = (type: string): Listing => ({ type, kinds: [], list: () => [], one: () => undefined });

function tags(tagType: 'disk' | 'node'): Listing {
  const list = (reader: StorageReader, base: string) =>
    [...tagNames(reader, tagType)].map((name) => tagResource(tagType, name, base));
  const one = (reader: StorageReader, name: string, base: string) => list(reader, base).find(({ id }) => id === name);
  return { type: 'tag', kinds: ['nodes'], path: `${tagType}tags`, list, one };
}

/** Tags that any node, or any disk, has. */
export function tagNames(reader: StorageReader, tagType: 'disk' | 'node'): ReadonlySet<string> {
  const ofNode = ({ spec }: StorageKinds['nodes']) => spec.tags ?? [];
  const ofDisks = ({ spec }: StorageKinds['nodes']) =>
    Object.values(spec.disks ?? {}).flatMap((disk) => disk.tags ?? []);
  return new Set(reader.list('nodes').flatMap(tagType === 'node' ? ofNode : ofDisks));
}

/** Address of the manager's pod on each node. */
const addressOn = (reader: StorageReader, node: string): string =>
  reader.list('pods').find(({ spec }) => spec?.nodeName === node)?.status?.podIP ?? '';

export const nodeAnswer: Format<'nodes'> = (node, base, reader) =>
  nodeResource({ node, address: addressOn(reader, node.metadata.name ?? '') }, base);

const nodes = plain('node', 'nodes', nodeAnswer, ['pods']);

const settings: Listing = {
  type: 'setting',
  kinds: ['settings'],
  list: (reader, base) => settingResources(reader.list('settings'), base),
  one: (reader, name, base) => settingResource(name, reader.get('settings', name), base),
};

/** Every collection, by the last part of its path. `backups` has no route: only a stream. */
export const listings: Readonly<Record<string, Listing>> = {
  volumes: plain('volume', 'volumes', (volume, base, reader) => volumeResource(volumeSeen(volume, reader), base), [
    'engines',
    'replicas',
    'backups',
    'attachments',
  ]),
  settings,
  nodes,
  backuptargets: plain('backupTarget', 'backupTargets', backupTargetResource),
  backupvolumes: plain('backupVolume', 'backupVolumes', backupVolumeResource),
  backups: plain('backup', 'backups', backupResource),
  recurringjobs: plain('recurringJob', 'recurringJobs', recurringJobResource),
  engineimages: plain(
    'engineImage',
    'engineImages',
    (image, base, reader) => engineImageResource(image, settingsOf(reader).text('default-engine-image'), base),
    ['settings'],
  ),
  instancemanagers: plain('instanceManager', 'instanceManagers', instanceManagerResource),
  volumeattachments: plain('volumeAttachment', 'attachments', volumeAttachmentResource),
  orphans: plain('orphan', 'orphans', orphanResource),
  events: plain('event', 'events', (event, base) => eventResource(event as KubeObject, base)),
  disktags: tags('disk'),
  nodetags: tags('node'),
  shards: empty('shard'),
  shardgroups: empty('shardGroup'),
  backingimages: empty('backingImage'),
  backupbackingimages: empty('backupBackingImage'),
  systembackups: empty('systemBackup'),
  systemrestores: empty('systemRestore'),
  supportbundles: empty('supportBundle'),
};
