import { storageClassType, type Unstructured } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { readObject } from '@lateen/kube';
import type { RestoreActionContext, RestoreItemAction } from '../contract/restore-item-action.ts';
import { actionConfig } from './action-config.ts';

const name = 'velero.io/change-storage-class';

interface Spec {
  storageClassName?: string;
  [field: string]: unknown;
}

interface Storing extends Unstructured {
  spec?: Spec & { volumeClaimTemplates?: { spec?: Spec; [field: string]: unknown }[] };
}

type Classes = (name: string | undefined) => Promise<string | undefined>;

/** Changes the storage classes of volumes: the ConfigMap maps old classes to new ones. */
export function changeStorageClassAction(): RestoreItemAction {
  const config = actionConfig(name);
  return {
    name,
    appliesTo: { includedResources: ['persistentvolumeclaims', 'persistentvolumes', 'statefulsets.apps'] },
    execute: async ({ item }, context, signal) => {
      const names = await config(context, signal);
      if (names === undefined) return { updatedItem: item };
      const classes: Classes = async (old = '') => {
        const wanted = Object.hasOwn(names, old) ? names[old] : undefined;
        if (wanted !== undefined) await requireClass(wanted, context, signal);
        return wanted;
      };
      return { updatedItem: await withClasses(item as Storing, classes) };
    },
  };
}

async function withClasses(item: Storing, classes: Classes): Promise<Unstructured> {
  const { spec } = item;
  if (spec === undefined) return item;
  if (spec.volumeClaimTemplates === undefined) {
    const changed = await withClass(spec, classes);
    return changed === spec ? item : { ...item, spec: changed };
  }
  const templates = [];
  for (const template of spec.volumeClaimTemplates)
    templates.push(
      template.spec === undefined ? template : { ...template, spec: await withClass(template.spec, classes) },
    );
  return { ...item, spec: { ...spec, volumeClaimTemplates: templates } };
}

async function withClass(spec: Spec, classes: Classes): Promise<Spec> {
  const storageClassName = await classes(spec.storageClassName);
  return storageClassName === undefined ? spec : { ...spec, storageClassName };
}

/** @throws STORAGE_CLASS_MISSING for a class that is not in the cluster, and that this restore does not restore either */
async function requireClass(name: string, context: RestoreActionContext, signal: AbortSignal): Promise<void> {
  const { kube, dryRun, archived } = context;
  if ((await readObject(kube, storageClassType, { name }, signal)) !== undefined) return;
  const { group, resource } = storageClassType;
  if (dryRun && (await archived({ group, resource, name }, signal)) !== undefined) return;
  throw new AppError('STORAGE_CLASS_MISSING', `there is no StorageClass ${name}`, {
    nextStep: `Create it, or change the ConfigMap of velero.io/change-storage-class.`,
  });
}
