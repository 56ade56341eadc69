import { statfs } from 'node:fs/promises';
import { openResticSession } from '@lateen/repository';
import { resticUploader } from '@lateen/uploader';
import { discardMs, type EngineSetUp, type OpenedEngine } from './engine-set-up.ts';

/** restic, set up for one repository; it connects when it runs. */
export async function openRestic({ options, target, budget, files }: EngineSetUp): Promise<OpenedEngine> {
  const session = await openResticSession(target, { ...files, process: options.engines.restic });
  const { clock, log, flush, programs, block } = options;
  const connectionsMax = budget.parallelFilesMax;
  const common = { session, clock, log, programs, block };
  const uploader = resticUploader({ ...common, connectionsMax, discardMs, flush, usedBytes });
  return { uploader, where: session.where, identifier: session.identifier, close: () => session.close() };
}

/** Bytes in use on the file system of a path. */
async function usedBytes(path: string): Promise<number> {
  const { bsize, blocks, bfree } = await statfs(path);
  return bsize * (blocks - bfree);
}
