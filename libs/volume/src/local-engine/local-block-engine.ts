import type { BlockEngine } from '@lateen/block-engine';
import { volumeLimits } from '../limits.ts';
import type { LocalEngineDeps } from './engine-deps.ts';
import { LocalDevices } from './local-devices.ts';
import {
  deleteSnapshotLocal,
  extentsLocal,
  listLocal,
  openSnapshotLocal,
  revertLocal,
  snapshotLocal,
} from './local-snapshots.ts';
import { conditionLocal, trimLocal } from './local-upkeep.ts';
import { createLocal, deleteLocal, getLocal, growLocal } from './local-volumes.ts';

/**
 * The volumes of this node as a {@link BlockEngine}: direct calls into this library. Names become IDs by `idForName`, so volumes
 * and snapshots that CSI has made are found by the names that it gave. A volume's device is a loop device on this node alone.
 */
export function localBlockEngine(deps: LocalEngineDeps): BlockEngine {
  const devices = new LocalDevices(deps);
  return {
    name: 'local',
    can: {
      multiNode: false,
      onlineGrow: true,
      rawSnapshotInUse: deps.copyMode === 'reflink',
      snapshotsOutliveVolume: true,
      clones: true,
    },
    granularityBytes: volumeLimits.roundBytes,
    create: (request, o) => createLocal(deps, request, o),
    delete: (volume, o) => deleteLocal(deps, volume, o),
    get: (volume, o) => getLocal(deps, volume, o),
    attach: (volume, node, o) => devices.attach(volume, node, o),
    detach: (volume, node, o) => devices.detach(volume, node, o),
    grow: (volume, sizeBytes, o) => growLocal(deps, volume, sizeBytes, o),
    snapshot: (volume, snapshot, o) => snapshotLocal(deps, { volume, snapshot }, o),
    deleteSnapshot: (volume, snapshot, o) => deleteSnapshotLocal(deps, { volume, snapshot }, o),
    revert: (volume, snapshot, o) => revertLocal(deps, { volume, snapshot }, o),
    listSnapshots: (volume, o) => listLocal(deps, volume, o),
    extents: (volume, snapshot, o) => extentsLocal(deps, { volume, snapshot }, o),
    openSnapshot: (volume, snapshot, o) => openSnapshotLocal(deps, { volume, snapshot }, o),
    trim: (volume, o) => trimLocal(deps, volume, o),
    condition: (volume, o) => conditionLocal(deps, volume, o),
    capacity: async (_where, _parameters, { signal }) => {
      signal.throwIfAborted();
      const available = await deps.admission.availableBytes();
      return { availableBytes: BigInt(available), largestBytes: BigInt(Math.min(available, volumeLimits.bytesMax)) };
    },
  };
}
