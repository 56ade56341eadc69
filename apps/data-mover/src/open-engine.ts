import { rm } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { attemptOf, type BackupStorageLocation, backupStorageLocationType, slotsIn } from '@lateen/api-types';
import { clearPrivateDirectory } from '@lateen/child-process';
import type { OpenEngine } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import { isNotFound, type KubeApi } from '@lateen/kube';
import type { DataPathResource, EngineWish } from '@lateen/mover';
import { cacheLimitMB, readRepositoryPassword, readyBackupRepository } from '@lateen/repository';
import { kopiaPauseSeconds, type ListAccountKey, type LocationRates, readLocation } from '@lateen/storage-location';
import type { MoverConfig } from './config.ts';
import { engineBudget, type OwnLimits } from './engine-budget.ts';
import type { EngineOptions } from './engine-set-up.ts';
import type { ChangesFlags } from './flags.ts';
import { changesWish } from './lazy-splice.ts';
import { openKopia } from './open-kopia.ts';
import { openRestic } from './open-restic.ts';

export interface OpenEngineOptions extends EngineOptions {
  kube: KubeApi;
  /** Reads the key of an Azure storage account. */
  listAccountKey: ListAccountKey;
  config: MoverConfig;
  resourceTimeoutMs: number;
  cacheVolumePath: string | undefined;
  /** What node-agent says for asking for changes. */
  changes?: ChangesFlags | undefined;
  /** The limits of this process. */
  limits: OwnLimits;
}

const openers = { kopia: openKopia, restic: openRestic } as const;

/**
 * Finds the repository of a namespace and sets up the requested engine for it; the engine itself connects when it runs.
 * @throws REPOSITORY_NOT_READY, LOCATION_…, SECRET_…, CREDENTIALS_INVALID, KUBE_…
 */
export async function openEngine(
  options: OpenEngineOptions,
  { backupStorageLocation, volumeNamespace, type, config: engineConfig, repoIdentifier }: EngineWish,
  resource: DataPathResource,
  signal: AbortSignal,
): Promise<OpenEngine> {
  const { kube, clock, random, log, config } = options;
  const { namespace } = config;
  // The location is read first: without it, no BackupRepository may be created for it.
  const found = await getLocation(kube, namespace, backupStorageLocation, signal);
  const [repository, location, password] = await Promise.all([
    readyBackupRepository(
      kube,
      { namespace, volumeNamespace, location: backupStorageLocation, type },
      { clock, random, log, timeoutMs: options.resourceTimeoutMs, signal },
    ),
    readLocation(kube, found, { listAccountKey: options.listAccountKey, signal }),
    readRepositoryPassword(kube, namespace, { signal }),
  ]);
  const { repositoryConfig } = repository.spec;
  const budget = engineBudget(options.limits, {
    cpus: availableParallelism(),
    nodeCpus: cpus().length,
    slots: slotsIn(config.environment),
    cacheLimitMB: cacheLimitMB(repositoryConfig),
  });
  log.info({ limits: options.limits, budget }, 'the engine has its budget');
  const tooMany = beyondBudget(engineConfig, budget.parallelFilesMax);
  if (tooMany !== undefined)
    log.warn({ ...tooMany }, 'fewer files at the same time than configured: memory would not do');
  const workDirectory = workDirectoryOf(config, resource);
  // An earlier mover of the movement may have been killed and have left files here, when the scratch volume outlives its pod.
  await clearPrivateDirectory(workDirectory);
  const { uploader, where, identifier, close } = await openers[type]({
    options,
    budget,
    repositoryConfig,
    sinceMs: earlierSinceMs(resource),
    changes: changesWish(kube, { namespace, flags: options.changes, resource }),
    target: {
      // A restore must work from a read-only location; a backup into one is refused by the object store or the controller.
      location,
      volumeNamespace: repository.spec.volumeNamespace,
      password,
      uid: repository.metadata.uid ?? '',
      cacheLimitMB: budget.cacheLimitMB,
    },
    files: {
      workDirectory,
      cacheDirectory: options.cacheVolumePath,
      environment: config.environment,
      runtime: budget,
    },
  });
  log.info({ repository: repository.metadata.name, engine: type, where }, 'the repository is ready');
  tellRates(log, type, location);
  // Keys are sent to the location only: a bucket that was moved is found through the location, and an address of another store is
  // not used.
  if (repoIdentifier !== undefined && identifier !== undefined && repoIdentifier !== identifier)
    log.warn({ repoIdentifier, identifier }, 'the snapshot was made at another address; its location is used');
  const closeAll = async () => {
    await close();
    await rm(workDirectory, { recursive: true, force: true });
  };
  return { uploader, close: closeAll };
}

/** The log names rate limits, so that a movement that is slow because of them can be recognised. */
function tellRates(log: Logger, type: EngineWish['type'], location: LocationRates): void {
  const { uploadBytesPerSecond, downloadBytesPerSecond } = location;
  if (uploadBytesPerSecond === undefined && downloadBytesPerSecond === undefined) return;
  log.info({ uploadBytesPerSecond, downloadBytesPerSecond }, 'the location limits the rate');
  const pauseSeconds = type === 'kopia' ? kopiaPauseSeconds(location) : 0;
  if (pauseSeconds > 0) log.warn({ pauseSeconds }, 'at this download rate kopia pauses before each file that it reads');
}

/** One directory for each movement, as two of them may share a scratch volume. */
const workDirectoryOf = ({ scratchDirectory }: MoverConfig, { metadata }: DataPathResource): string =>
  join(scratchDirectory, `movement-${metadata.uid ?? metadata.name}`);

/** No attempt started before its custom resource was created. */
function earlierSinceMs(resource: DataPathResource): number | undefined {
  const createdMs = Date.parse(resource.metadata.creationTimestamp ?? '');
  return attemptOf(resource) === 1 || Number.isNaN(createdMs) ? undefined : createdMs;
}

/** Requested settings that exceed the budget. */
function beyondBudget(
  configured: Readonly<Record<string, string>>,
  parallelFilesMax = Number.POSITIVE_INFINITY,
): Record<string, string | number> | undefined {
  for (const key of ['ParallelFilesUpload', 'ParallelFilesDownload']) {
    const wanted = configured[key];
    if (Number(wanted) > parallelFilesMax) return { key, wanted: wanted ?? '', parallelFilesMax };
  }
  return undefined;
}

async function getLocation(
  kube: KubeApi,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<BackupStorageLocation> {
  try {
    return await kube.get(backupStorageLocationType, { namespace, name }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new AppError('LOCATION_NOT_FOUND', `BackupStorageLocation ${namespace}/${name} does not exist`, {
      nextStep: 'Create it, or name an existing one in spec.backupStorageLocation.',
    });
  }
}
