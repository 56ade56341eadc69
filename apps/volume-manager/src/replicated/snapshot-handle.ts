import { type BackupMode, backupModes } from '@lateen/storage-types';
import { volumeError } from '@lateen/volume';
import { isVolumeId } from './volume-id.ts';

/** The values of the parameter `type` in VolumeSnapshotClasses of Longhorn; empty means `bak`. */
const types = ['snap', 'bak', 'bi'] as const;

export interface SnapshotHandle {
  /** `snap`: in the volume; `bak`: in a backup target. */
  readonly type: 'snap' | 'bak';
  readonly volume: string;
  /** Name of the snapshot or of the backup. */
  readonly name: string;
}

export const snapshotHandle = ({ type, volume, name }: SnapshotHandle): string => `${type}://${volume}/${name}`;

/**
 * Undefined when the text is not a snapshot handle.
 * @throws AppError `UNIMPLEMENTED` for one that is a backing image
 */
export function readSnapshotHandle(text: string): SnapshotHandle | undefined {
  const [, type = '', volume = '', name = ''] = /^([a-z]+):\/\/([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (type === 'bi') throw noImages();
  const isKnown = type === 'snap' || type === 'bak';
  return isKnown && isVolumeId(volume) && isVolumeId(name) ? { type, volume, name } : undefined;
}

const provisionerPrefix = 'csi.storage.k8s.io/';

export interface SnapshotClass {
  readonly type: SnapshotHandle['type'];
  readonly backupMode: BackupMode;
}

/** @throws AppError `INVALID_ARGUMENT` for an unknown parameter, `UNIMPLEMENTED` for a type that is not supported */
export function readSnapshotClass(parameters: Readonly<Record<string, string>>): SnapshotClass {
  const { type = '', backupMode: mode = '', ...others } = parameters;
  const unknown = Object.keys(others).find((key) => !key.startsWith(provisionerPrefix));
  if (unknown !== undefined) {
    throw volumeError('INVALID_ARGUMENT', `VolumeSnapshotClass parameter ${JSON.stringify(unknown)} is unknown`);
  }
  const asked = types.find((each) => each === (type || 'bak'));
  if (asked === undefined) {
    throw volumeError('INVALID_ARGUMENT', `VolumeSnapshotClass parameter type is none of ${types.join(', ')}`);
  }
  if (asked === 'bi') throw noImages();
  const backupMode = backupModes.find((each) => each === (mode || 'incremental'));
  if (backupMode === undefined) {
    throw volumeError(
      'INVALID_ARGUMENT',
      `VolumeSnapshotClass parameter backupMode is none of ${backupModes.join(', ')}`,
    );
  }
  return { type: asked, backupMode };
}

const noImages = () =>
  volumeError('UNIMPLEMENTED', 'snapshots that are backing images (type bi) are not supported', {
    nextStep: 'Set the parameter type of the VolumeSnapshotClass to snap or bak.',
  });
