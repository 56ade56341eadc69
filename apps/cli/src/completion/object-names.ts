import {
  backupRepositoryType,
  backupStorageLocationType,
  backupType,
  configMapType,
  type KubeObject,
  namespaceType,
  restoreType,
  scheduleType,
  serviceAccountType,
  storageClassType,
  volumeSnapshotClassType,
  volumeSnapshotLocationType,
} from '@lateen/api-types';
import { listAll, type ResourceType } from '@lateen/kube';
import type { Run, RunNoun } from '@lateen/operations/run';
import type { Candidate, FindCandidates } from './completion.ts';

/**
 * Names of objects of one kind, in Lateen's namespace when the kind is namespaced. @param about a short description of the kind
 */
export function objectNames<T extends KubeObject>(
  type: ResourceType<T>,
  about: (object: T) => string = () => '',
): FindCandidates {
  return async ({ kube, global: { namespace }, signal }) => {
    const { items } = await listAll(await kube(), type, type.namespaced ? { namespace, signal } : { signal });
    return items.map((each): Candidate => ({ word: each.metadata.name ?? '', about: about(each) }));
  };
}

const facts = (...texts: (string | null | undefined)[]): string => texts.filter(Boolean).join(', ');

export const locationNames = objectNames(backupStorageLocationType, ({ spec, status }) =>
  facts(status?.phase || 'Unknown', spec.default === true ? 'default' : ''),
);
export const repositoryNames = objectNames(backupRepositoryType, ({ spec, status }) =>
  facts(`${spec.volumeNamespace} in ${spec.backupStorageLocation}`, status?.phase || 'New'),
);
/** Names of objects that can be canceled. */
export const runningNames =
  <T extends Run>({ type, hasEnded, phaseOf }: RunNoun<T>): FindCandidates =>
  async ({ kube, global: { namespace }, signal }) => {
    const { items } = await listAll(await kube(), type, { namespace, signal });
    return items
      .filter((run) => !hasEnded(run))
      .map((run): Candidate => ({ word: run.metadata.name ?? '', about: phaseOf(run) }));
  };
export const backupNames = objectNames(backupType, ({ status }) => status?.phase || 'New');
export const scheduleNames = objectNames(scheduleType, ({ spec, status }) =>
  facts(spec.schedule, status?.phase || 'New', spec.paused === true ? 'paused' : ''),
);
export const snapshotLocationNames = objectNames(volumeSnapshotLocationType, ({ spec }) => spec.provider);
export const restoreNames = objectNames(restoreType, ({ status }) => status?.phase || 'New');
export const namespaceNames = objectNames(namespaceType);
export const configMapNames = objectNames(configMapType);
export const serviceAccountNames = objectNames(serviceAccountType);
export const storageClassNames = objectNames(storageClassType, ({ provisioner }) => provisioner);
export const snapshotClassNames = objectNames(volumeSnapshotClassType, ({ driver }) => driver);

export const contextNames: FindCandidates = async ({ contexts }) => (await contexts()).map((word) => ({ word }));
