import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '@lateen/kernel';

export interface DiskAbilities {
  readonly directIo: boolean;
  readonly sparseFiles: boolean;
}

const probeBytes = 1024 * 1024;
/** Some file systems report it at open, others only on a read or write. */
const noDirectIo = ['EINVAL', 'EOPNOTSUPP', 'ENOTSUP'];

/** The abilities of a directory's file system, tested with a temporary file. @throws the error of the file system */
export async function tryDisk(directory: string, random: Random): Promise<DiskAbilities> {
  const path = join(directory, `.lateen-probe-${random.suffix(8)}`);
  try {
    const file = await open(path, 'wx', 0o600);
    let sparseFiles: boolean;
    try {
      await file.truncate(probeBytes);
      sparseFiles = (await file.stat()).blocks === 0;
    } finally {
      await file.close();
    }
    return { sparseFiles, directIo: await opensDirectly(path) };
  } finally {
    await rm(path, { force: true });
  }
}

async function opensDirectly(path: string): Promise<boolean> {
  try {
    const file = await open(path, constants.O_RDWR | constants.O_DIRECT);
    await file.close();
    return true;
  } catch (error) {
    if (noDirectIo.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
