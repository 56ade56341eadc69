import { always, struct, unlessEmpty } from '../json/go-struct.ts';
import { integer, listOf, text } from '../json/go-type.ts';
import { jsonFile } from '../json/json-file.ts';
import { type ResourceIdentifier, resourceIdentifier } from './resource-identifier.ts';

export const operationPhases = ['New', 'InProgress', 'Completed', 'Failed'] as const;
export type OperationPhase = (typeof operationPhases)[number];

/** How far an operation is (object-store-layout.md section 5.2). Times are RFC 3339. */
export interface OperationStatus {
  phase: OperationPhase;
  error?: string;
  nCompleted?: number;
  nTotal?: number;
  operationUnits?: string;
  description?: string;
  created?: string;
  started?: string;
  updated?: string;
}

/** What an action of a backup started and did not wait for; an entry of `<backup>-itemoperations.json.gz`. */
export interface BackupOperation {
  spec: {
    backupName: string;
    backupUID: string;
    /** Name of the action that is asked for progress: `velero.io/csi-pvc-backupper`. */
    backupItemAction: string;
    resourceIdentifier: ResourceIdentifier;
    operationID: string;
    /** Read again from the cluster when all operations have ended, and put into the archive. */
    postOperationItems: ResourceIdentifier[] | null;
  };
  status: OperationStatus;
}

/** The same of a restore; an entry of `restore-<restore>-itemoperations.json.gz`. */
export interface RestoreOperation {
  spec: {
    restoreName: string;
    restoreUID: string;
    restoreItemAction: string;
    resourceIdentifier: ResourceIdentifier;
    operationID: string;
  };
  status: OperationStatus;
}

const status = struct({
  phase: unlessEmpty(text),
  error: unlessEmpty(text),
  nCompleted: unlessEmpty(integer),
  nTotal: unlessEmpty(integer),
  operationUnits: unlessEmpty(text),
  description: unlessEmpty(text),
  created: unlessEmpty(text),
  started: unlessEmpty(text),
  updated: unlessEmpty(text),
});

const operation = (spec: ReturnType<typeof struct>) => listOf(struct({ spec: always(spec), status: always(status) }));

const ofBackup = struct({
  backupName: always(text),
  backupUID: always(text),
  backupItemAction: always(text),
  resourceIdentifier: always(resourceIdentifier),
  operationID: always(text),
  postOperationItems: always(listOf(resourceIdentifier)),
});

const ofRestore = struct({
  restoreName: always(text),
  restoreUID: always(text),
  restoreItemAction: always(text),
  resourceIdentifier: always(resourceIdentifier),
  operationID: always(text),
});

export const backupOperationsFile = jsonFile<BackupOperation[]>('the item operations', operation(ofBackup), () => []);
export const restoreOperationsFile = jsonFile<RestoreOperation[]>(
  'the item operations',
  operation(ofRestore),
  () => [],
);
