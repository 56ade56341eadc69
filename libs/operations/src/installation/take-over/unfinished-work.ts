import {
  type Backup,
  backupType,
  dataDownloadType,
  dataUploadType,
  deleteBackupRequestType,
  isBuiltInDataMover,
  isTerminalPhase,
  jobType,
  labels,
  podVolumeBackupType,
  podVolumeRestoreType,
  type ResourceType,
  restoreType,
} from '@lateen/api-types';
import { type KubeApi, type KubeObject, listIfServed } from '@lateen/kube';
import { backupHasEnded } from '../../backup/backup-noun.ts';

/** Which workload of Velero brings the work to its end. */
export type Worker = 'server' | 'agents' | 'job';

/**
 * How the work is ended when it is not waited for: `fail` as Velero does at its start with the work that it finds; `cancel` when our
 * node-agents conclude it; `conclude` when they do not know it; `leave` when we must not end it.
 */
export type Ending = 'fail' | 'cancel' | 'conclude' | 'leave';

/** Work that Velero has started or would start. */
export interface UnfinishedWork {
  type: ResourceType;
  kind: string;
  name: string;
  phase: string;
  worker: Worker;
  ending: Ending;
}

interface Seen extends KubeObject {
  spec?: { datamover?: string };
  status?: { phase?: string; active?: number };
}

interface WorkKind {
  type: ResourceType;
  worker: Worker;
  ending: Ending;
  isOver: (object: Seen) => boolean;
  labelSelector?: string;
}

/** A Backup in phase `Deleting` counts as ended: its DeleteBackupRequest is the unfinished work. */
const isOverAsBackup = (object: Seen): boolean => backupHasEnded(object as Pick<Backup, 'status'>);
const isOverAsMovement = ({ spec, status }: Seen): boolean =>
  isTerminalPhase(status?.phase) || !isBuiltInDataMover(spec?.datamover);

const kinds: readonly WorkKind[] = [
  { type: backupType, worker: 'server', ending: 'fail', isOver: isOverAsBackup },
  { type: restoreType, worker: 'server', ending: 'fail', isOver: isOverAsBackup },
  { type: dataUploadType, worker: 'agents', ending: 'cancel', isOver: isOverAsMovement },
  { type: dataDownloadType, worker: 'agents', ending: 'cancel', isOver: isOverAsMovement },
  {
    type: podVolumeBackupType,
    worker: 'agents',
    ending: 'conclude',
    isOver: ({ status }) => isTerminalPhase(status?.phase),
  },
  {
    type: podVolumeRestoreType,
    worker: 'agents',
    ending: 'conclude',
    isOver: ({ status }) => isTerminalPhase(status?.phase),
  },
  {
    type: deleteBackupRequestType,
    worker: 'server',
    ending: 'leave',
    isOver: ({ status }) => status?.phase === 'Processed',
  },
  // Maintenance of a repository: it ends by itself, and is created again when it does not succeed.
  {
    type: jobType,
    worker: 'job',
    ending: 'leave',
    isOver: ({ status }) => (status?.active ?? 0) === 0,
    labelSelector: labels.repoName,
  },
];

/** `Backup nightly (InProgress)` */
export const titleOfWork = ({ kind, name, phase }: UnfinishedWork): string =>
  `${kind} ${name}${phase === '' ? '' : ` (${phase})`}`;

/** Returns work that has started or is requested, and has not ended. Changes nothing. */
export async function unfinishedWork(kube: KubeApi, namespace: string, signal: AbortSignal): Promise<UnfinishedWork[]> {
  const lists = await Promise.all(kinds.map((kind) => unfinishedOf(kube, kind, namespace, signal)));
  return lists.flat();
}

async function unfinishedOf(
  kube: KubeApi,
  { type, isOver, worker, ending, labelSelector }: WorkKind,
  namespace: string,
  signal: AbortSignal,
): Promise<UnfinishedWork[]> {
  const options = { namespace, signal, ...(labelSelector === undefined ? {} : { labelSelector }) };
  const items = await listIfServed(kube, type as ResourceType<Seen>, options, onlyState);
  return items
    .filter((object) => !isOver(object))
    .map(({ metadata, status }) => {
      const phase = type.kind === jobType.kind ? '' : status?.phase || 'New';
      return { type, kind: type.kind, name: metadata.name ?? '', phase, worker, ending };
    });
}

/** Keeps only the state, because there may be very many Backups. */
function onlyState({ apiVersion, kind, metadata, spec, status }: Seen): Seen {
  const { datamover } = spec ?? {};
  const { phase, active } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata: { name: metadata.name ?? '' },
    ...(datamover === undefined ? {} : { spec: { datamover } }),
    status: { ...(phase === undefined ? {} : { phase }), ...(active === undefined ? {} : { active }) },
  };
}
