import type { KubeObject } from '@lateen/api-types';
import { listAll, type ResourceType } from '@lateen/kube';
import { longhornNamespace, longhornNodeType, volumeType } from '@lateen/storage-types';
import type { Candidate, FindCandidates } from '../completion/completion.ts';
import type { StorageOptions } from './open-storage.ts';

/** Names of objects of one kind, in the namespace of the volume manager. @param about what it is, in few words */
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
