import { blockSplitterKey, blockSplitterOf, openKopiaSession, splitterNames } from '@lateen/repository';
import { kopiaUploader } from '@lateen/uploader';
import { discardMs, type EngineSetUp, type OpenedEngine } from './engine-set-up.ts';

/** kopia, set up for one repository; it connects when it runs. */
export async function openKopia({
  options,
  target,
  files,
  budget,
  repositoryConfig,
}: EngineSetUp): Promise<OpenedEngine> {
  const session = await openKopiaSession(target, { ...files, process: options.engines.kopia });
  const { clock, random, programs, block, log, flush } = options;
  const { splitter: blockSplitter, unknown } = blockSplitterOf(repositoryConfig);
  if (unknown !== undefined)
    log.warn(
      { key: blockSplitterKey, value: unknown, splitterNames },
      'the repository has a splitter that kopia does not know; it counts for nothing',
    );
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
    blockSplitter,
    discardMs,
    flush,
  });
  return { uploader, where: session.where, close: () => session.close() };
}
