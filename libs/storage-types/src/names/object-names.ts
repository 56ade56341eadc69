import { createHash } from 'node:crypto';

/** The key of a volume's head among its snapshots. */
export const volumeHead = 'volume-head';

/** Name of the engine of a volume; the number is 0 but during a live migration. */
export const engineName = (volume: string, number = 0): string => `${volume}-e-${number}`;

/** Name of a new replica. `uuid` is a fresh one of the port of chance; its first 8 digits are used. */
export const replicaName = (volume: string, uuid: string): string => `${volume}-r-${hexOf(uuid, 8)}`;

/** Name of a snapshot that nobody has named. */
export const snapshotName = (uuid: string): string => `snap-${hexOf(uuid, 16)}`;

/** Name of a new backup. */
export const backupName = (uuid: string): string => `backup-${hexOf(uuid, 16)}`;

/** Name of the snapshot from which a rebuild copies; ours. */
export const rebuildSnapshotName = (uuid: string): string => `rebuild-${hexOf(uuid, 8)}`;

/** Name of the EngineImage of an image. */
export const engineImageName = (image: string): string => `ei-${digestOf('sha512', image, 8)}`;

/** Name of the BackupVolume of a volume in a target. */
export const backupVolumeName = (volume: string, target: string): string =>
  `${volume}-${digestOf('sha256', `${volume}-${target}`, 8)}`;

/** Name of an Orphan: the same for the same thing, which `identity` tells from all others. */
export const orphanName = (identity: readonly string[]): string =>
  `orphan-${digestOf('sha256', identity.join('-'), 64)}`;

/** Name of the InstanceManager of a node for an image; an update of the image makes another beside it. */
export const instanceManagerName = (node: string, image: string): string =>
  `instance-manager-${digestOf('sha256', `${node}-${image}`, 32)}`;

/** Value of the label `longhorn.io/instance-manager-image`. */
export const instanceManagerImageLabel = (image: string): string => `imi-${digestOf('sha512', image, 8)}`;

/** Name of the transfer that restores a backup into the volume of one start of an engine. */
export const restoreTransferName = (engine: string, generation: number, backup: string): string =>
  `restore-${digestOf('sha256', `${engine}/${generation}/${backup}`, 16)}`;

/** Id of the ticket that ControllerPublishVolume makes. */
export const csiTicketId = (volume: string, node: string): string =>
  `csi-${digestOf('sha256', `${volume}/${node}`, 64)}`;

function hexOf(uuid: string, length: number): string {
  const digits = uuid.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(digits)) throw new RangeError(`${JSON.stringify(uuid)} is not a UUID`);
  return digits.slice(0, length);
}

function digestOf(algorithm: 'sha256' | 'sha512', text: string, length: number): string {
  return createHash(algorithm).update(text).digest('hex').slice(0, length);
}
