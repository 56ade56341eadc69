import { join } from 'node:path';
import { hostError, type InstanceError } from '@lateen/block-engine';
import type { Files } from '@lateen/volume';

/** The file that identifies a disk, in its top folder: `{"diskUUID": "…"}`, as in Longhorn. */
export const diskConfigFile = 'longhorn-disk.cfg';

export type DiskIdentity =
  | { readonly kind: 'none' }
  | { readonly kind: 'known'; readonly uuid: string }
  /** The file exists but cannot be read: the disk must not be used or registered. */
  | { readonly kind: 'unreadable'; readonly error: InstanceError };

export async function readDiskIdentity(files: Pick<Files, 'readText'>, disk: string): Promise<DiskIdentity> {
  const text = await files.readText(join(disk, diskConfigFile));
  if (text === undefined) return { kind: 'none' };
  const uuid = uuidIn(text);
  if (uuid !== undefined) return { kind: 'known', uuid };
  const message = `${diskConfigFile} at ${disk} has no diskUUID`;
  const nextStep = `If no replica on the disk is needed, remove ${diskConfigFile}: the disk gets another identity.`;
  return { kind: 'unreadable', error: { code: 'DISK_FOREIGN', message, nextStep } };
}

function uuidIn(text: string): string | undefined {
  try {
    const { diskUUID } = JSON.parse(text);
    return typeof diskUUID === 'string' && diskUUID !== '' ? diskUUID : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Gives a disk its identity, durably. Does nothing when it has the same identity.
 * @throws AppError `DISK_FOREIGN` when it has another one, or one that cannot be read; `INVALID_ARGUMENT`
 */
export async function registerDisk(
  files: Pick<Files, 'readText' | 'writeDurably'>,
  disk: string,
  uuid: string,
): Promise<void> {
  if (!/^[\w-]{1,64}$/.test(uuid)) throw hostError('INVALID_ARGUMENT', `"${uuid}" is not the identity of a disk`);
  const identity = await readDiskIdentity(files, disk);
  if (identity.kind === 'unreadable') throw foreign(identity.error.message, identity.error.nextStep);
  if (identity.kind === 'none')
    await files.writeDurably(join(disk, diskConfigFile), `${JSON.stringify({ diskUUID: uuid })}\n`);
  else if (identity.uuid !== uuid)
    throw foreign(`the disk at ${disk} is ${identity.uuid} already`, 'Check which disk is mounted there.');
}

const foreign = (message: string, nextStep: string | undefined) =>
  hostError('DISK_FOREIGN', message, nextStep === undefined ? {} : { nextStep });
