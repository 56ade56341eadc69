import { AppError } from '@lateen/errors';
import { blockSplitterKey, blockSplitterOf, openKopiaSession, splitterNames } from '@lateen/repository';
import { type KopiaUploaderOptions, kopiaUploader } from '@lateen/uploader';
import { programBeside } from '@lateen/worker-pool';
import { discardMs, type EngineSetUp, type OpenedEngine } from './engine-set-up.ts';
import { lazySplice, loadSessionProgram } from './lazy-splice.ts';

/** kopia, set up for one repository; it connects when it runs. */
export async function openKopia({
  options,
  target,
  files,
  budget,
  repositoryConfig,
  sinceMs,
  changes,
}: EngineSetUp): Promise<OpenedEngine> {
  const session = await openKopiaSession(target, { ...files, process: options.engines.kopia });
  const { clock, random, programs, block, log, flush } = options;
  const { splitter: blockSplitter, unknown } = blockSplitterOf(repositoryConfig);
  if (unknown !== undefined)
    log.warn(
      { key: blockSplitterKey, value: unknown, splitterNames },
      'the repository has a splitter that kopia does not know; it is ignored',
    );
  const splice = changes && lazySplice({ options, target, files }, changes);
  const uploader = kopiaUploader({
    session,
    sinceMs,
    openDirect: directWay({ options, target, files, budget }),
    restateTags: restatedTags({ options, target, files }),
    clock,
    random,
    programs,
    block,
    blockSplice: splice?.blocks,
    fileSplice: splice?.files,
    log,
    parallelFiles: budget.parallelFiles,
    parallelMax: budget.parallelFilesMax,
    checkpointSeconds: budget.checkpointSeconds,
    blockSplitter,
    discardMs,
    flush,
  });
  const close = async () => {
    await splice?.close();
    await session.close();
  };
  return { uploader, where: session.where, close };
}

/** Restores without the engine; the code for that is loaded at the first use. */
function directWay({
  options,
  target,
  files,
  budget,
}: Pick<EngineSetUp, 'options' | 'target' | 'files' | 'budget'>): KopiaUploaderOptions['openDirect'] {
  const { clock, random, log } = options;
  const { environment, workDirectory: scratchDirectory, cacheDirectory } = files;
  return async (signal) => {
    if (target.location.provider === 'fs')
      throw new AppError('REPOSITORY_FORMAT_UNSUPPORTED', 'a repository in a directory is read by the engine alone');
    const program: typeof import('./direct-restore.ts') = await import(
      programBeside('direct-restore', import.meta.url).href
    );
    const machine = { cpus: budget.cpus, memoryBytes: budget.memoryBytes };
    return await program.openDirect(
      { ...machine, target, environment, scratchDirectory, cacheDirectory, clock, random, log },
      signal,
    );
  };
}

/** Stores tags in Velero's form; gRPC is loaded at the first use. */
function restatedTags({
  options: { clock, random, log, engines },
  target,
  files,
}: Pick<EngineSetUp, 'options' | 'target' | 'files'>): KopiaUploaderOptions['restateTags'] {
  const engine = { ...files, process: engines.kopia };
  return async (request) => {
    const program = await loadSessionProgram();
    return await program.restateSnapshotTags({ target, engine, clock, random, log }, request);
  };
}
