import type { VolumeActionSeen, VolumeSeenByApi } from '@lateen/storage-rest';
import type { Condition, Volume } from '@lateen/storage-types';
import type { StorageReader } from './storage-reader.ts';

const nameOf = (object: { metadata: { name?: string } }): string => object.metadata.name ?? '';

/** A volume with all that belongs to it, as it was last seen. */
export function volumeSeen(volume: Volume, reader: StorageReader): VolumeSeenByApi {
  const name = nameOf(volume);
  return {
    volume,
    engines: reader.ofVolume('engines', name),
    replicas: reader.ofVolume('replicas', name),
    backups: reader.ofVolume('backups', name),
    attachment: reader.get('attachments', name),
  };
}

/** The same, with the other facts that actions are decided from. */
export function volumeActionSeen(volume: Volume, reader: StorageReader, uuid: string): VolumeActionSeen {
  const isReady = ({ type, status }: Condition) => type === 'Ready' && status === 'True';
  const nodes = reader.list('nodes').filter(({ status }) => status?.conditions?.some(isReady));
  const targets = reader.list('backupTargets').filter(({ status }) => status?.available === true);
  return {
    ...volumeSeen(volume, reader),
    snapshots: reader.ofVolume('snapshots', nameOf(volume)),
    readyNodes: new Set(nodes.map(nameOf)),
    availableTargets: new Set(targets.map(nameOf)),
    uuid,
  };
}
