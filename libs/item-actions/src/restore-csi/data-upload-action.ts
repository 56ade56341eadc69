import { type ConfigMap, configMapType, type DataUpload, getValidName, labels, labelValues } from '@lateen/api-types';
import { createGenerated, listAll } from '@lateen/kube';
import type { RestoreActionContext, RestoreItemAction } from '../contract/restore-item-action.ts';
import { perRestore } from '../per-run.ts';
import { ofRestore, restoreLabels } from './restore-labels.ts';
import { resultOf } from './upload-result.ts';

/** Selects the ConfigMaps that {@link dataUploadAction} makes for a restore. */
export const dataUploadResultsOf = (restore: RestoreActionContext['restore']): string =>
  `${ofRestore(restore)},${labels.resourceUsage}=${labelValues.dataUploadUsage}`;

/**
 * A DataUpload is not restored: its information about the data becomes a ConfigMap for actions that read it there (api.md section
 * 17.7). The ConfigMaps are deleted at the end of the restore. Our own action for claims reads the DataUpload itself, so it
 * depends on no order.
 */
export function dataUploadAction(): RestoreItemAction {
  const madeBefore = perRestore(async ({ kube, restore, veleroNamespace }, signal) => {
    const options = { namespace: veleroNamespace, labelSelector: dataUploadResultsOf(restore), signal };
    const { items } = await listAll(kube, configMapType, options);
    return new Set(items.map(({ metadata }) => metadata.labels?.[labels.pvcNamespaceName]));
  });
  return {
    name: 'velero.io/dataupload',
    appliesTo: { includedResources: ['datauploads.velero.io'] },
    execute: async ({ item, itemFromBackup }, context, signal) => {
      const upload = itemFromBackup as unknown as DataUpload;
      const isOfUse = (upload.status?.snapshotID ?? '') !== '' && !context.dryRun;
      if (isOfUse) {
        const made = await madeBefore(context, signal);
        const result = dataUploadResultFor(upload, context);
        const claim = result.metadata.labels?.[labels.pvcNamespaceName];
        if (!made.has(claim)) await createGenerated(context, configMapType, result, signal);
        made.add(claim);
      }
      return { updatedItem: item, skipRestore: true };
    },
  };
}

function dataUploadResultFor(
  upload: DataUpload,
  { restore, veleroNamespace }: Pick<RestoreActionContext, 'restore' | 'veleroNamespace'>,
): ConfigMap {
  const { sourceNamespace, sourcePVC } = upload.spec;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      generateName: `${upload.metadata.name}-`,
      namespace: veleroNamespace,
      labels: {
        [labels.restoreUid]: restoreLabels(restore)[labels.restoreUid] ?? '',
        [labels.pvcNamespaceName]: getValidName(`${sourceNamespace}.${sourcePVC}`),
        [labels.resourceUsage]: labelValues.dataUploadUsage,
      },
    },
    data: { [restore.metadata.uid ?? '']: JSON.stringify(resultOf(upload)) },
  };
}
