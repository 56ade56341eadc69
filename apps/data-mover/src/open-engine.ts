import { availableParallelism } from 'node:os';
import { type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { isNotFound, type KubeApi } from '@lateen/kube';
import {
  cacheLimitMB,
  type EngineProcess,
  openKopiaSession,
  readLocation,
  readRepositoryPassword,
  readyBackupRepository,
} from '@lateen/repository';
import { type BlockOptions, kopiaUploader, type Programs } from '@lateen/uploader';
import type { MoverConfig } from './config.ts';
import type { DataPathResource } from './data-path-subject.ts';
import type { OpenEngine } from './run-data-path.ts';

export interface OpenEngineOptions {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  log: Logger;
  config: MoverConfig;
  engine: EngineProcess;
  /** Read and write what kopia does not keep. */
  programs: Programs;
  /** For volumes of mode Block. */
  block: BlockOptions;
  resourceTimeoutMs: number;
  cacheVolumePath: string | undefined;
  memoryLimitBytes: number | undefined;
  flush(volumePath: string, signal: AbortSignal): Promise<void>;
}

/** How long the deletion of an unwanted snapshot may take before the pod ends anyway. */
const discardMs = 20_000;

/**
 * Finds the repository of the resource's source namespace and sets kopia up for it; kopia itself connects when it runs.
 * @throws REPOSITORY_NOT_READY, LOCATION_…, SECRET_…, CREDENTIALS_INVALID, KUBE_…
 */
export async function openEngine(
  options: OpenEngineOptions,
  resource: DataPathResource,
  signal: AbortSignal,
): Promise<OpenEngine> {
  const { kube, clock, random, log, config } = options;
  const { namespace } = config;
  const { backupStorageLocation, sourceNamespace } = resource.spec;
  // First alone: without the location no BackupRepository may be created for it.
  const found = await getLocation(kube, namespace, backupStorageLocation, signal);
  const [repository, location, password] = await Promise.all([
    readyBackupRepository(
      kube,
      { namespace, volumeNamespace: sourceNamespace, location: backupStorageLocation },
      { clock, random, log, timeoutMs: options.resourceTimeoutMs, signal },
    ),
    readLocation(kube, found, { signal }),
    readRepositoryPassword(kube, namespace, { signal }),
  ]);
  const session = await openKopiaSession(
    {
      // A restore must work from a read-only location; a backup into one is refused by the object store or the controller.
      location,
      volumeNamespace: repository.spec.volumeNamespace,
      password,
      uid: repository.metadata.uid ?? '',
      cacheLimitMB: cacheLimitMB(repository.spec.repositoryConfig),
    },
    {
      process: options.engine,
      workDirectory: config.scratchDirectory,
      cacheDirectory: options.cacheVolumePath,
      environment: config.environment,
      memoryLimitBytes: options.memoryLimitBytes,
    },
  );
  log.info({ repository: repository.metadata.name, where: session.where }, 'the repository is ready');
  const uploader = kopiaUploader({
    session,
    clock,
    random,
    programs: options.programs,
    block: options.block,
    log,
    cpus: availableParallelism(),
    discardMs,
    flush: options.flush,
  });
  return { uploader, close: () => session.close() };
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
