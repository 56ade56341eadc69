import type { Restore } from '@lateen/api-types';
import { causesOfRestore, type InspectedRestore, restoreNoun, waitsFor, wishesOf } from '@lateen/operations/restore';
import { phaseOf, throughputOf, volumeOf } from '@lateen/operations/volume';
import { boolText, clusterScopedText } from '../../describe/filter-sections.ts';
import { readOr } from '../../describe/results-sections.ts';
import { notKnown } from '../../describe/run-sections.ts';
import { listText, none } from '../../output/description.ts';
import { orSelectorText, selectorText } from '../../output/selector-text.ts';

/** The description as JSON, in the form of `backup describe -o json`; Velero 1.18 has none. */
export function restoreAsJson(inspected: InspectedRestore, { details }: { details: boolean }): Record<string, unknown> {
  const { restore, results, outcomes } = inspected;
  const { metadata, status = {} } = restore;
  const { name, namespace, labels = {}, annotations = {} } = metadata;
  const causes = causesOfRestore(inspected);
  const ahead = waitsFor(restore);
  return {
    metadata: { name, namespace, labels, annotations },
    phase: restoreNoun.phaseOf(restore),
    ...(ahead.length === 0 ? {} : { waitsFor: ahead }),
    ...(causes.length === 0 ? {} : { causes }),
    ...(status.validationErrors?.length ? { validationErrors: status.validationErrors } : {}),
    ...(results && status.warnings ? { warnings: readOr(results, ({ warnings }) => warnings) } : {}),
    ...(results && status.errors ? { errors: readOr(results, ({ errors }) => errors) } : {}),
    spec: specAsJson(restore),
    restoreStatus: statusAsJson(inspected, details),
    ...(outcomes === undefined ? {} : { itemOutcomes: readOr(outcomes, (read) => read) }),
  };
}

function specAsJson(restore: Restore): Record<string, unknown> {
  const { spec } = restore;
  const { resourceModifier, resourcePolicy, uploaderConfig, ownerRefConfigMap } = spec;
  return {
    backup: spec.backupName ?? '',
    ...(spec.scheduleName ? { schedule: spec.scheduleName } : {}),
    namespaces: { included: listText(spec.includedNamespaces, '*'), excluded: listText(spec.excludedNamespaces) },
    resources: {
      included: listText(spec.includedResources, '*'),
      excluded: listText(spec.excludedResources),
      clusterScoped: clusterScopedText(spec.includeClusterResources),
    },
    namespaceMappings: spec.namespaceMapping ?? {},
    labelSelector: selectorText(spec.labelSelector),
    orLabelSelectors: orSelectorText(spec.orLabelSelectors),
    restorePVs: boolText(spec.restorePVs),
    existingResourcePolicy: spec.existingResourcePolicy || none,
    existingVolumeDataPolicy: spec.existingVolumeDataPolicy || none,
    ...wishesOf(restore),
    itemOperationTimeout: spec.itemOperationTimeout ?? none,
    preserveServiceNodePorts: boolText(spec.preserveNodePorts),
    ...(resourcePolicy ? { resourcePolicies: { type: resourcePolicy.kind, name: resourcePolicy.name } } : {}),
    ...(resourceModifier ? { resourceModifier: { type: resourceModifier.kind, name: resourceModifier.name } } : {}),
    ...(ownerRefConfigMap ? { ownerRefConfigMap } : {}),
    ...(uploaderConfig && Object.keys(uploaderConfig).length > 0 ? { uploaderConfig } : {}),
  };
}

function statusAsJson(inspected: InspectedRestore, details: boolean): Record<string, unknown> {
  const { restore, volumes, downloads, operations, resources, podVolumeRestores } = inspected;
  const { status = {} } = restore;
  const counts = restoreNoun.countsOf(restore);
  return {
    started: status.startTimestamp ?? notKnown,
    completed: status.completionTimestamp ?? notKnown,
    ...(status.progress ? { totalItemsToBeRestored: counts.items.total, itemsRestored: counts.items.done } : {}),
    ...(counts.operations.attempted === 0
      ? {}
      : {
          restoreItemOperations: {
            ...counts.operations,
            ...(details && operations ? { operations: readOr(operations, (list) => list) } : {}),
          },
        }),
    ...(volumes ? { restoreVolumes: readOr(volumes, (infos) => infos) } : {}),
    ...(downloads.length === 0
      ? {}
      : {
          dataDownloads: downloads.map((download) => ({
            name: download.metadata.name,
            volume: volumeOf(download),
            phase: phaseOf(download),
            throughput: throughputOf(download),
          })),
        }),
    ...(podVolumeRestores.length === 0
      ? {}
      : {
          podVolumeRestores: podVolumeRestores.map((restored) => ({
            namespace: restored.spec.pod.namespace,
            pod: restored.spec.pod.name,
            volume: restored.spec.volume,
            phase: phaseOf(restored),
            throughput: throughputOf(restored),
            ...(restored.status?.message ? { message: restored.status.message } : {}),
          })),
        }),
    ...(status.hookStatus
      ? { hooksAttempted: status.hookStatus.hooksAttempted ?? 0, hooksFailed: status.hookStatus.hooksFailed ?? 0 }
      : {}),
    ...(resources ? { resourceList: readOr(resources, (list) => list) } : {}),
  };
}
