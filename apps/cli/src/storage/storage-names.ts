import type { KubeObject } from '@lateen/api-types';
import { listAll, type ResourceType } from '@lateen/kube';
import {
  backupTargetType,
  backupType,
  engineType,
  instanceManagerType,
  longhornNamespace,
  longhornNodeType,
  orphanType,
  recurringJobType,
  replicaType,
  snapshotType,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import { settingDefinitions } from '@lateen/volume-decisions';
import type { Candidate, FindCandidates } from '../completion/completion.ts';
import type { StorageOptions } from './open-storage.ts';

/** Names of objects of one kind, in the namespace of the volume manager. @param about a short description of the kind */
export function storageNames<T extends KubeObject>(
  type: ResourceType<T>,
  about: (object: T) => string = () => '',
): FindCandidates {
  return async ({ kube, global, signal }) => {
    const { storageNamespace: namespace = longhornNamespace } = global as Partial<StorageOptions>;
    const { items } = await listAll(await kube(), type, { namespace, signal });
    return items.map((each): Candidate => ({ word: each.metadata.name ?? '', about: about(each) }));
  };
}

const facts = (...texts: (string | undefined)[]): string => texts.filter(Boolean).join(', ');

export const volumeNames = storageNames(volumeType, ({ status = {} }) =>
  facts(status.state, status.robustness, status.kubernetesStatus?.pvcName),
);
export const nodeNames = storageNames(longhornNodeType, ({ status = {} }) => facts(status.zone));
export const replicaNames = storageNames(replicaType, ({ spec }) => facts(spec.volumeName, spec.nodeID));
export const snapshotNames = storageNames(snapshotType, ({ spec, status }) => facts(spec.volume, status?.creationTime));
export const backupNames = storageNames(backupType, ({ status }) => facts(status?.volumeName, status?.state));
export const backupTargetNames = storageNames(backupTargetType, ({ spec }) => facts(spec.backupTargetURL));
export const jobNames = storageNames(recurringJobType, ({ spec }) => facts(spec.task, spec.cron));
export const orphanNames = storageNames(orphanType, ({ spec }) => facts(spec.orphanType, spec.nodeID));
export const engineNames = storageNames(engineType, ({ spec }) => facts(spec.volumeName, spec.nodeID));
export const instanceManagerNames = storageNames(instanceManagerType, ({ spec }) => facts(spec.nodeID));
export const attachmentNames = storageNames(volumeAttachmentObjectType);
export const settingNames: FindCandidates = async () =>
  settingDefinitions.map(({ name, about }): Candidate => ({ word: name, about }));
