import { volumeError } from '@lateen/volume';
import { isVolumeId } from './volume-id.ts';

/** What VolumeSnapshotClasses of the reference may ask for, by their parameter `type`; empty is `bak`. */
const types = ['snap', 'bak', 'bi'] as const;

export interface SnapshotHandle {
  readonly volume: string;
  readonly snapshot: string;
}

export const snapshotHandle = ({ volume, snapshot }: SnapshotHandle): string => `snap://${volume}/${snapshot}`;

/**
 * Undefined for what no snapshot is called.
 * @throws AppError `UNIMPLEMENTED` for one that is a backup, or a backing image
 */
export function readSnapshotHandle(text: string): SnapshotHandle | undefined {
  const [, type = '', volume = '', snapshot = ''] = /^([a-z]+):\/\/([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (type === 'bak' || type === 'bi') throw notYet(type);
  return type === 'snap' && isVolumeId(volume) && isVolumeId(snapshot) ? { volume, snapshot } : undefined;
}

const provisionerPrefix = 'csi.storage.k8s.io/';

/** @throws AppError `INVALID_ARGUMENT` for a parameter that is not known, `UNIMPLEMENTED` for a type that is not there yet */
export function requireSnapshotClass(parameters: Readonly<Record<string, string>>): void {
  const { type = '', backupMode: _mode, ...others } = parameters;
  const unknown = Object.keys(others).find((key) => !key.startsWith(provisionerPrefix));
  if (unknown !== undefined) {
    throw volumeError('INVALID_ARGUMENT', `VolumeSnapshotClass parameter ${JSON.stringify(unknown)} is unknown`);
  }
  const asked = types.find((each) => each === (type || 'bak'));
  if (asked === undefined) {
    throw volumeError('INVALID_ARGUMENT', `VolumeSnapshotClass parameter type is none of ${types.join(', ')}`);
  }
  if (asked !== 'snap') throw notYet(asked);
}

const notYet = (type: 'bak' | 'bi') =>
  volumeError(
    'UNIMPLEMENTED',
    type === 'bak'
      ? 'snapshots that are backups in a backup target (type bak, also when it is empty) are not here yet'
      : 'snapshots that are backing images (type bi) are not supported',
    { nextStep: 'Set the parameter type of the VolumeSnapshotClass to snap.' },
  );
