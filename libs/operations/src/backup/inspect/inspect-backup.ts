import {
  type Backup,
  type BackupPhase,
  type DataUpload,
  type DeleteBackupRequest,
  type DownloadTargetKind,
  dataUploadType,
  deleteBackupRequestType,
  getValidName,
  type KubeObject,
  labels,
  type PodVolumeBackup,
  podVolumeBackupType,
} from '@lateen/api-types';
import {
  type BackupOperation,
  type BackupVolumeInfo,
  backupOperationsFile,
  type ItemOutcome,
  type ItemOutcomeKind,
  type JsonFile,
  type NativeSnapshot,
  nativeSnapshotsFile,
  objectsFile,
  outcomesIn,
  type ResourceList,
  type Results,
  resourceListFile,
  resultsFile,
  volumeInfoFile,
} from '@lateen/backup-store';
import type { KubeApi } from '@lateen/kube';
import { listOrNone } from '../../noun/list-or-none.ts';
import { type BringFile, type FileRead, readFile, readJsonFile } from '../../run/read-file.ts';
import { type OutcomeFilter, type OutcomesRead, readOutcomes } from '../../run/read-outcomes.ts';
import { backupPhaseOf } from '../backup-noun.ts';

/** All known facts of a backup. A file that was not requested is absent. */
export interface InspectedBackup {
  backup: Backup;
  deleteRequests: readonly DeleteBackupRequest[];
  podVolumeBackups: readonly PodVolumeBackup[];
  /** The DataUploads of its volumes, as long as they exist in the cluster. */
  uploads: readonly DataUpload[];
  results?: FileRead<Results>;
  operations?: FileRead<readonly BackupOperation[]>;
  volumes?: FileRead<readonly BackupVolumeInfo[]>;
  nativeSnapshots?: FileRead<readonly NativeSnapshot[]>;
  /** The VolumeSnapshots of an old backup without volume information. */
  csiSnapshots?: FileRead<readonly KubeObject[]>;
  resources?: FileRead<ResourceList>;
  outcomes?: FileRead<OutcomesRead<ItemOutcome, ItemOutcomeKind>>;
}

export interface InspectOptions {
  /** Read everything, including the lists of operations and resources. */
  details: boolean;
  /** When present: the outcomes of matching items. When absent and with `details`: the outcomes that are not simply "backed up". */
  outcomes?: OutcomeFilter<ItemOutcomeKind> | undefined;
}

/** Phases with stored files: before them nothing is stored, and after them the files stay. */
const storedPhases: ReadonlySet<BackupPhase> = new Set([
  'WaitingForPluginOperations',
  'WaitingForPluginOperationsPartiallyFailed',
  'Finalizing',
  'FinalizingPartiallyFailed',
  'Completed',
  'PartiallyFailed',
  'Failed',
  'Deleting',
]);

/** Reads all facts of a backup: from the cluster, and with `bring` from its bucket, several files at the same time. */
export async function inspectBackup(
  kube: KubeApi,
  backup: Backup,
  bring: BringFile,
  options: InspectOptions,
  signal: AbortSignal,
): Promise<InspectedBackup> {
  const { namespace, name = '', uid = '' } = backup.metadata;
  const ofBackup = `${labels.backupName}=${getValidName(name)}`;
  const list = { namespace, labelSelector: ofBackup, signal };
  const [deleteRequests, podVolumeBackups, uploads, files] = await Promise.all([
    listOrNone(kube, deleteBackupRequestType, { ...list, labelSelector: `${ofBackup},${labels.backupUid}=${uid}` }),
    listOrNone(kube, podVolumeBackupType, list),
    listOrNone(kube, dataUploadType, list),
    readFiles(backup, bring, options, signal),
  ]);
  return { backup, deleteRequests, podVolumeBackups, uploads, ...files };
}

type ReadJson = <T>(kind: DownloadTargetKind, file: Pick<JsonFile<T>, 'parse'>) => Promise<FileRead<T>>;

type Files = Omit<InspectedBackup, 'backup' | 'deleteRequests' | 'podVolumeBackups' | 'uploads'>;

async function readFiles(
  backup: Backup,
  bring: BringFile,
  { details, outcomes }: InspectOptions,
  signal: AbortSignal,
): Promise<Files> {
  if (!storedPhases.has(backupPhaseOf(backup))) return {};
  const { errors = 0, warnings = 0, ...counts } = backup.status ?? {};
  const { backupItemOperationsAttempted: attempted = 0, backupItemOperationsFailed: failed = 0 } = counts;
  const read: ReadJson = (kind, file) => readJsonFile(bring, kind, file, signal);
  const none = Promise.resolve(undefined);
  const shown = outcomes ?? (details ? { outcomes: ['Failed', 'Warning', 'Skipped'] as const } : undefined);
  const [results, operations, volumes, resources, outcomesRead] = await Promise.all([
    errors + warnings > 0 ? read('BackupResults', resultsFile) : none,
    attempted > 0 && (details || failed > 0) ? read('BackupItemOperations', backupOperationsFile) : none,
    read('BackupVolumeInfos', volumeInfoFile),
    details ? read('BackupResourceList', resourceListFile) : none,
    shown === undefined ? none : readFile(bring, 'BackupItemOutcomes', (pieces) => outcomesOf(pieces, shown), signal),
  ]);
  const older = volumes.kind === 'missing' ? await readOlder(backup, read) : {};
  return withoutAbsent({ results, operations, volumes, resources, outcomes: outcomesRead, ...older });
}

const outcomesOf = (pieces: AsyncIterable<Uint8Array>, wanted: OutcomeFilter<ItemOutcomeKind>) =>
  readOutcomes(outcomesIn(pieces), ({ outcome }) => outcome, wanted);

/** Reads backups of older servers, which stored no volume information. */
async function readOlder({ status }: Backup, read: ReadJson): Promise<Pick<Files, 'nativeSnapshots' | 'csiSnapshots'>> {
  const csiSnapshots = await read('CSIBackupVolumeSnapshots', objectsFile('the CSI snapshots'));
  if (!status?.volumeSnapshotsAttempted) return { csiSnapshots };
  return { csiSnapshots, nativeSnapshots: await read('BackupVolumeSnapshots', nativeSnapshotsFile) };
}

const withoutAbsent = (files: { [K in keyof Files]: Files[K] | undefined }): Files =>
  Object.fromEntries(Object.entries(files).filter(([, value]) => value !== undefined));
