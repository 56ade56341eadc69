import { csi } from '@lateen/csi';
import { checkMountFlags, type FileSystemType, type VolumeUse, volumeError } from '@lateen/volume';

const mode = csi.VolumeCapability_AccessMode_Mode;

/**
 * A volume exists on one node, so access modes with many nodes are not possible. MULTI_NODE_READER_ONLY (ReadOnlyMany) is: the topology allows one
 * node only, which may have many readers.
 */
const modes = new Map<csi.VolumeCapability_AccessMode_Mode, { readOnly: boolean; single: boolean }>([
  [mode.SINGLE_NODE_WRITER, { readOnly: false, single: false }],
  [mode.SINGLE_NODE_SINGLE_WRITER, { readOnly: false, single: true }],
  [mode.SINGLE_NODE_MULTI_WRITER, { readOnly: false, single: false }],
  [mode.SINGLE_NODE_READER_ONLY, { readOnly: true, single: false }],
  [mode.MULTI_NODE_READER_ONLY, { readOnly: true, single: false }],
]);

/** @throws AppError `INVALID_ARGUMENT` naming what is not supported. */
export function readCapability(capability: csi.VolumeCapability | undefined): VolumeUse {
  if (capability === undefined) throw volumeError('INVALID_ARGUMENT', 'volume_capability is missing');
  const wanted = modes.get(capability.accessMode?.mode ?? mode.UNKNOWN);
  if (wanted === undefined) {
    throw volumeError(
      'INVALID_ARGUMENT',
      `access mode ${modeName(capability.accessMode?.mode ?? mode.UNKNOWN)} is not supported`,
      {
        nextStep: 'Use ReadWriteOnce, ReadWriteOncePod or ReadOnlyMany.',
      },
    );
  }
  if (capability.block !== undefined) return { access: { kind: 'block' }, ...wanted };
  if (capability.mount === undefined) throw volumeError('INVALID_ARGUMENT', 'volume_capability has no access type');
  if (capability.mount.volumeMountGroup !== '') {
    throw volumeError('INVALID_ARGUMENT', 'volume_mount_group is not supported');
  }
  const flags = checkMountFlags(capability.mount.mountFlags);
  const fileSystem = readFileSystem(capability.mount.fsType);
  const access = { kind: 'mount', flags, ...(fileSystem === undefined ? {} : { fileSystem }) } as const;
  return { access, single: wanted.single, readOnly: wanted.readOnly || flags.includes('ro') };
}

/** All capabilities, or the reason why the first unsupported one is refused. */
export function readCapabilities(capabilities: readonly csi.VolumeCapability[]): VolumeUse[] {
  if (capabilities.length === 0) throw volumeError('INVALID_ARGUMENT', 'volume_capabilities is empty');
  return capabilities.map(readCapability);
}

/** @throws AppError `INVALID_ARGUMENT` for anything but ext4, xfs and the empty default. */
export function readFileSystem(type: string | undefined): FileSystemType | undefined {
  if (type === undefined || type === '') return undefined;
  if (type === 'ext4' || type === 'xfs') return type;
  throw volumeError('INVALID_ARGUMENT', `file system type ${JSON.stringify(type)} is not supported`, {
    nextStep: 'Use ext4 or xfs.',
  });
}

function modeName(wanted: number): string {
  return Object.entries(mode).find(([, value]) => value === wanted)?.[0] ?? `${wanted}`;
}
