import {
  type DataDownload,
  type DownloadTargetKind,
  dataDownloadType,
  getValidName,
  labels,
  type PodVolumeRestore,
  podVolumeRestoreType,
  type Restore,
  type RestorePhase,
} from '@lateen/api-types';
import {
  type JsonFile,
  type ResourceList,
  type RestoreItemAct,
  type RestoreItemOutcome,
  type RestoreOperation,
  type RestoreVolumeInfo,
  type Results,
  resourceListFile,
  restoreOperationsFile,
  restoreOutcomesIn,
  restoreVolumeInfoFile,
  resultsFile,
} from '@lateen/backup-store';
import type { KubeApi } from '@lateen/kube';
import { listOrNone } from '../noun/list-or-none.ts';
import { type Cause, causesIn } from '../run/causes.ts';
import { type BringFile, type FileRead, readFile, readJsonFile } from '../run/read-file.ts';
import { type OutcomeFilter, type OutcomesRead, readOutcomes } from '../run/read-outcomes.ts';
import { restorePhaseOf } from './restore-noun.ts';

export type RestoreOutcomes = OutcomesRead<RestoreItemOutcome, RestoreItemAct>;

/** Everything that is known of a restore. A file that was not asked for is absent. */
export interface InspectedRestore {
  restore: Restore;
  podVolumeRestores: readonly PodVolumeRestore[];
  /** Of its volumes, as long as they are in the cluster. */
  downloads: readonly DataDownload[];
  results?: FileRead<Results>;
  operations?: FileRead<readonly RestoreOperation[]>;
  volumes?: FileRead<readonly RestoreVolumeInfo[]>;
  resources?: FileRead<ResourceList>;
  outcomes?: FileRead<RestoreOutcomes>;
}

export interface InspectRestoreOptions {
  /** Everything, the lists of operations and resources too. */
  details: boolean;
  /** Present: the outcomes of items that match. With `details` and none: those that are not simply created. */
  outcomes?: OutcomeFilter<RestoreItemAct> | undefined;
}

/** In these nothing is stored. */
const unstoredPhases: ReadonlySet<RestorePhase> = new Set(['New', 'FailedValidation', 'InProgress', 'Canceling']);

const notSimplyCreated: OutcomeFilter<RestoreItemAct> = {
  outcomes: ['update', 'conflict', 'immutable', 'denied', 'skip', 'fail'],
};

/** Reads all that is known of a restore: from the cluster, and with `bring` out of the bucket, several files at once. */
export async function inspectRestore(
  kube: KubeApi,
  restore: Restore,
  bring: BringFile,
  options: InspectRestoreOptions,
  signal: AbortSignal,
): Promise<InspectedRestore> {
  const { namespace, name = '' } = restore.metadata;
  const list = { namespace, labelSelector: `${labels.restoreName}=${getValidName(name)}`, signal };
  const [podVolumeRestores, downloads, files] = await Promise.all([
    listOrNone(kube, podVolumeRestoreType, list),
    listOrNone(kube, dataDownloadType, list),
    readFiles(restore, bring, options, signal),
  ]);
  return { restore, podVolumeRestores, downloads, ...files };
}

type Files = Omit<InspectedRestore, 'restore' | 'podVolumeRestores' | 'downloads'>;

async function readFiles(
  restore: Restore,
  bring: BringFile,
  { details, outcomes }: InspectRestoreOptions,
  signal: AbortSignal,
): Promise<Files> {
  if (unstoredPhases.has(restorePhaseOf(restore)) || restore.spec.dryRun === true) return {};
  const { errors = 0, warnings = 0, ...counts } = restore.status ?? {};
  const { restoreItemOperationsAttempted: attempted = 0, restoreItemOperationsFailed: failed = 0 } = counts;
  const read = <T>(kind: DownloadTargetKind, file: Pick<JsonFile<T>, 'parse'>) =>
    readJsonFile(bring, kind, file, signal);
  const none = Promise.resolve(undefined);
  const shown = outcomes ?? (details ? notSimplyCreated : undefined);
  const [results, operations, volumes, resources, outcomesRead] = await Promise.all([
    errors + warnings > 0 ? read('RestoreResults', resultsFile) : none,
    attempted > 0 && (details || failed > 0) ? read('RestoreItemOperations', restoreOperationsFile) : none,
    read('RestoreVolumeInfo', restoreVolumeInfoFile),
    details ? read('RestoreResourceList', resourceListFile) : none,
    shown === undefined
      ? none
      : readFile(bring, 'RestoreItemOutcomes', (pieces) => restoreOutcomes(pieces, shown), signal),
  ]);
  const files = { results, operations, volumes, resources, outcomes: outcomesRead };
  return Object.fromEntries(Object.entries(files).filter(([, file]) => file !== undefined));
}

/** @throws AppError BACKUP_FILE_BROKEN; what `pieces` throws */
export const restoreOutcomes = (
  pieces: AsyncIterable<Uint8Array>,
  wanted: OutcomeFilter<RestoreItemAct>,
): Promise<RestoreOutcomes> => readOutcomes(restoreOutcomesIn(pieces), ({ act }) => act, wanted);

/** The causes of what failed in a restore, as {@link causesIn}. Pure. */
export function causesOfRestore(inspected: InspectedRestore): Cause[] {
  const { restore, downloads, operations, results, podVolumeRestores } = inspected;
  const { status } = restore;
  return causesIn({ status, others: [], movements: [...downloads, ...podVolumeRestores], operations, results });
}
