import type { CallContext, ServiceHandlers } from '@lateen/grpc';
import type { volumeSnapshotter } from '@lateen/plugin-protocol';
import type { ContextOf } from '../context/action-contexts.ts';
import type { VolumeSnapshotter } from '../contract/volume-snapshotter.ts';
import type { Plugin } from '../define-plugin.ts';
import { offered } from './found-action.ts';
import { readItem, writeItem } from './json-bytes.ts';
import { MadeInstances } from './made-instances.ts';

/** VolumeSnapshotters over the wire. */
export function volumeSnapshotterHandlers(
  plugin: Plugin,
  contextOf: ContextOf,
): ServiceHandlers<volumeSnapshotter.VolumeSnapshotterServer> {
  const instances = new MadeInstances<VolumeSnapshotter>();
  const find = (name: string, call: CallContext) => {
    const { offer, part } = offered(plugin, 'VolumeSnapshotter', name, plugin.volumeSnapshotters);
    return { make: part, context: contextOf(offer, call) };
  };
  const use = (name: string, call: CallContext) => {
    const { context } = find(name, call);
    return { snapshotter: instances.get(name), context };
  };
  return {
    init: async ({ plugin: name, config }, call) => {
      const { make, context } = find(name, call);
      await instances.init(make, config, context);
      return {};
    },
    getVolumeId: async ({ plugin: name, persistentVolume }, call) => {
      const { snapshotter, context } = use(name, call);
      const volume = readItem(persistentVolume, 'persistentVolume');
      return { volumeID: await snapshotter.getVolumeId({ persistentVolume: volume }, context) };
    },
    setVolumeId: async ({ plugin: name, persistentVolume, volumeID: volumeId }, call) => {
      const { snapshotter, context } = use(name, call);
      const volume = readItem(persistentVolume, 'persistentVolume');
      const changed = await snapshotter.setVolumeId({ persistentVolume: volume, volumeId }, context);
      return { persistentVolume: writeItem(changed, `PersistentVolume of ${name}`) };
    },
    getVolumeInfo: async ({ plugin: name, volumeID: volumeId, volumeAZ: volumeZone }, call) => {
      const { snapshotter, context } = use(name, call);
      const { volumeType, iops } = await snapshotter.getVolumeInfo({ volumeId, volumeZone }, context);
      return { volumeType, iops: BigInt(iops ?? 0) };
    },
    createSnapshot: async ({ plugin: name, volumeID: volumeId, volumeAZ: volumeZone, tags }, call) => {
      const { snapshotter, context } = use(name, call);
      return { snapshotID: await snapshotter.createSnapshot({ volumeId, volumeZone, tags }, context) };
    },
    deleteSnapshot: async ({ plugin: name, snapshotID: snapshotId }, call) => {
      const { snapshotter, context } = use(name, call);
      await snapshotter.deleteSnapshot({ snapshotId }, context);
      return {};
    },
    createVolumeFromSnapshot: async (request, call) => {
      const { snapshotter, context } = use(request.plugin, call);
      const { snapshotID: snapshotId, volumeType, volumeAZ: volumeZone } = request;
      const iops = request.iops === 0n ? {} : { iops: Number(request.iops) };
      const input = { snapshotId, volumeType, volumeZone, ...iops };
      return { volumeID: await snapshotter.createVolumeFromSnapshot(input, context) };
    },
  };
}
