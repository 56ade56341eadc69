import type { KubeApi } from '@lateen/kube';
import { requireStorage } from '@lateen/operations/storage';
import { longhornNamespace } from '@lateen/storage-types';
import type { Command, Option } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedOption } from '../completion/completion.ts';
import { namespaceNames } from '../completion/object-names.ts';

/** Options of every command below `storage`. */
export interface StorageOptions extends GlobalOptions {
  storageNamespace: string;
}

export const storageNamespaceOption = (): Option =>
  completedOption(
    '--storage-namespace <name>',
    'namespace of the volume manager and its objects',
    namespaceNames,
  ).default(longhornNamespace);

/** The connection to the objects of replicated volumes. */
export interface OpenedStorage {
  kube: KubeApi;
  namespace: string;
}

/** Connects, and checks that the cluster has the CRDs of replicated volumes. @throws AppError STORAGE_NOT_INSTALLED */
export async function openStorage(context: CommandContext, self: Command): Promise<OpenedStorage> {
  const global = self.optsWithGlobals<StorageOptions>();
  const kube = await context.connect(global);
  await requireStorage(kube, global.storageNamespace, context.signal);
  return { kube, namespace: global.storageNamespace };
}
