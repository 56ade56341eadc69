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

/** All known facts of a restore. A file that was not requested is absent. */
export interface InspectedRestore {
  restore: Restore;
  podVolumeRestores: readonly PodVolumeRestore[];
  /** The DataDownloads of its volumes, as long as they exist in the cluster. */
  downloads: readonly DataDownload[];
  results?: FileRead<Results>;
  operations?: FileRead<readonly RestoreOperation[]>;
  volumes?: FileRead<readonly RestoreVolumeInfo[]>;
  resources?: FileRead<ResourceList>;
  outcomes?: FileRead<RestoreOutcomes>;
}

export interface InspectRestoreOptions {
  /** Read everything, including the lists of operations and resources. */
  details: boolean;
  /** When present: the outcomes of matching items. When absent and with `details`: the outcomes that are not simply "created". */
  outcomes?: OutcomeFilter<RestoreItemAct> | undefined;
}

/** Phases without stored files. */
const unstoredPhases: ReadonlySet<RestorePhase> = new Set(['New', 'FailedValidation', 'InProgress', 'Canceling']);

const notSimplyCreated: OutcomeFilter<RestoreItemAct> = {
  outcomes: ['update', 'conflict', 'immutable', 'denied', 'skip', 'fail'],
};

/** Reads all facts of a restore: from the cluster, and with `bring` from the bucket, several files at the same time. */
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

/** The causes of failures in a restore, as {@link causesIn}. Pure. */
export function causesOfRestore(inspected: InspectedRestore): Cause[] {
  const { restore, downloads, operations, results, podVolumeRestores } = inspected;
  const { status } = restore;
  return causesIn({ status, others: [], movements: [...downloads, ...podVolumeRestores], operations, results });
}
