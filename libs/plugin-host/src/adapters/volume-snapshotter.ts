import type { Unstructured } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import {
  answerLost,
  type SnapshotterCall,
  type SnapshotterVolumeInfo,
  type VolumeSnapshotter,
} from '@lateen/native-snapshots';
import { volumeSnapshotter as wire } from '@lateen/plugin-protocol';
import { programEndedCode } from '../process/ended-error.ts';
import type { PluginProcess } from '../process/plugin-process.ts';
import { ConfiguredPlugin, type ConfiguredPluginOptions } from './configured-plugin.ts';
import { answeredItem, jsonBytes } from './item-json.ts';

const service = (process: PluginProcess) => process.client<wire.VolumeSnapshotterServer>(wire.VolumeSnapshotterClient);

/** A plugin of kind VolumeSnapshotter as the port. */
export function pluginVolumeSnapshotter(options: Omit<ConfiguredPluginOptions, 'init'>): VolumeSnapshotter {
  const { plugin } = options;
  const init: ConfiguredPluginOptions['init'] = (process, config, options) =>
    service(process).init({ plugin, config }, options);
  const configured = new ConfiguredPlugin({ ...options, init });
  type Service = ReturnType<typeof service>;
  const ask = async <T>(
    method: string,
    about: string,
    run: (service: Service, options: SnapshotterCall) => Promise<T>,
    { signal }: SnapshotterCall,
  ): Promise<T> => {
    try {
      return await configured.ask(method, (process, options) => run(service(process), options), signal);
    } catch (error) {
      const isLost = isAppError(error, 'PLUGIN_CALL_TIMEOUT') || isAppError(error, programEndedCode);
      throw isLost ? answerLost(`${method} of ${about} by plugin ${plugin}`, error) : error;
    }
  };
  return {
    init: (config, { signal }) => configured.init(config, signal),
    getVolumeID: async (volume, call) => {
      const request = { plugin, persistentVolume: jsonBytes(volume) };
      const answer = await ask('GetVolumeID', nameOf(volume), (of, options) => of.getVolumeId(request, options), call);
      return answer.volumeID === '' ? undefined : answer.volumeID;
    },
    setVolumeID: async (volume, volumeID, call) => {
      const request = { plugin, persistentVolume: jsonBytes(volume), volumeID };
      const answer = await ask('SetVolumeID', nameOf(volume), (of, options) => of.setVolumeId(request, options), call);
      return answeredItem(answer.persistentVolume, volume, plugin);
    },
    getVolumeInfo: async (volumeID, volumeAZ, call) => {
      const request = { plugin, volumeID, volumeAZ };
      const about = `volume ${volumeID}`;
      return infoOf(await ask('GetVolumeInfo', about, (of, options) => of.getVolumeInfo(request, options), call));
    },
    createSnapshot: async (volumeID, volumeAZ, tags, call) => {
      const request = { plugin, volumeID, volumeAZ, tags };
      const about = `volume ${volumeID}`;
      return (await ask('CreateSnapshot', about, (of, options) => of.createSnapshot(request, options), call))
        .snapshotID;
    },
    createVolumeFromSnapshot: async (snapshotID, { type, iops = 0, volumeAZ }, call) => {
      const request = { plugin, snapshotID, volumeType: type, volumeAZ, iops: BigInt(iops) };
      const run = (of: Service, options: SnapshotterCall) => of.createVolumeFromSnapshot(request, options);
      return (await ask('CreateVolumeFromSnapshot', `snapshot ${snapshotID}`, run, call)).volumeID;
    },
    deleteSnapshot: async (snapshotID, call) => {
      const run = (of: Service, options: SnapshotterCall) => of.deleteSnapshot({ plugin, snapshotID }, options);
      await ask('DeleteSnapshot', `snapshot ${snapshotID}`, run, call);
    },
    close: () => configured.close(),
  };
}

const nameOf = ({ metadata }: Unstructured): string => `PersistentVolume ${metadata.name ?? ''}`;

const infoOf = ({ volumeType: type, iops }: wire.GetVolumeInfoResponse): SnapshotterVolumeInfo =>
  iops === 0n ? { type } : { type, iops: Number(iops) };
