import { join } from 'node:path';
import { type Progress, silentProgress } from '../progress/progress.ts';
import { type EnsurePartsOptions, ensureParts } from './ensure-parts.ts';

/** Paths of the programs of replicated volumes, and of those that only tests use. */
export interface BlockTools {
  qemuStorageDaemon: string;
  qemuImg: string;
  qemuIo: string;
  qemuNbd: string;
  nbdfuse: string;
  nbdcopy: string;
  nbdinfo: string;
  fusermount3: string;
  fio: string;
}

/**
 * From the part `block-tools`. `LATEEN_QSD` names another qemu-storage-daemon than Debian's, to run the same tests with it.
 * @throws as {@link ensureParts}
 */
export async function blockTools(
  progress: Progress = silentProgress,
  options: EnsurePartsOptions = {},
): Promise<BlockTools> {
  const { 'block-tools': folder = '' } = await ensureParts(['block-tools'], progress, options);
  const env = options.env ?? process.env;
  return {
    qemuStorageDaemon: env.LATEEN_QSD || join(folder, 'qemu-storage-daemon'),
    qemuImg: join(folder, 'qemu-img'),
    qemuIo: join(folder, 'qemu-io'),
    qemuNbd: join(folder, 'qemu-nbd'),
    nbdfuse: join(folder, 'nbdfuse'),
    nbdcopy: join(folder, 'nbdcopy'),
    nbdinfo: join(folder, 'nbdinfo'),
    fusermount3: join(folder, 'fusermount3'),
    fio: join(folder, 'fio'),
  };
}
