import { openKopiaSession } from '@lateen/repository';
import { kopiaUploader } from '@lateen/uploader';
import { discardMs, type EngineSetUp, type OpenedEngine } from './engine-set-up.ts';

/** kopia, set up for one repository; it connects when it runs. */
export async function openKopia({ options, target, files, budget }: EngineSetUp): Promise<OpenedEngine> {
  const session = await openKopiaSession(target, { ...files, process: options.engines.kopia });
  const { clock, random, programs, block, log, flush } = options;
  const uploader = kopiaUploader({
    session,
    clock,
    random,
    programs,
    block,
    log,
    parallelFiles: budget.parallelFiles,
    parallelMax: budget.parallelFilesMax,
    checkpointSeconds: budget.checkpointSeconds,
    discardMs,
    flush,
  });
  return { uploader, where: session.where, close: () => session.close() };
}
