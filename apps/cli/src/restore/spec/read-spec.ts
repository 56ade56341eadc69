import { isObjectName, type RestoreSpec } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { existingPolicies } from '@lateen/item-actions';
import { validateRestoreFilters } from '@lateen/item-filters';
import { parsePeriod } from '../../parse-period.ts';
import { parseOrSelectors, parseSelector } from '../../parse-selector.ts';
import { checkFilters, given, parseConfigMapReference, parseFileCount, withoutAbsent } from '../../parse-spec.ts';
import { badFlag } from '../../refuse-flag.ts';
import { parseNamespaceMappings } from './namespace-mappings.ts';
import { existingResourcePolicies, type RestoreFlags } from './spec-flags.ts';

/**
 * The spec for the flags, without its source: only fields that are given, and all namespaces when none is given. @throws AppError
 * BAD_FLAG
 */
export function readRestoreSpec(flags: RestoreFlags): RestoreSpec {
  if (flags.selector !== undefined && flags.orSelector !== undefined)
    throw badFlag("either a 'selector' or an 'or-selector' can be specified, but not both");
  const spec = withoutAbsent<RestoreSpec>({
    includedNamespaces: flags.includeNamespaces ?? ['*'],
    excludedNamespaces: flags.excludeNamespaces,
    namespaceMapping: given(flags.namespaceMappings, parseNamespaceMappings),
    includedResources: flags.includeResources,
    excludedResources: flags.excludeResources,
    includeClusterResources: flags.includeClusterResources,
    labelSelector: given(flags.selector, (text) => parseSelector('--selector', text)),
    orLabelSelectors: given(flags.orSelector, (text) => parseOrSelectors('--or-selector', text)),
    restorePVs: flags.restoreVolumes,
    preserveNodePorts: flags.preserveNodeports,
    existingResourcePolicy: given(flags.existingResourcePolicy, resourcePolicy),
    existingVolumeDataPolicy: given(flags.existingVolumeDataPolicy, volumeDataPolicy),
    restoreStatus: restoreStatus(flags),
    itemOperationTimeout: given(flags.itemOperationTimeout, (text) => parsePeriod('--item-operation-timeout', text)),
    resourceModifier: given(flags.resourceModifierConfigmap, (name) =>
      parseConfigMapReference('--resource-modifier-configmap', name),
    ),
    skipDefaultResourceModifier: flags.skipDefaultResourceModifier,
    resourcePolicy: given(flags.resourcePoliciesConfigmap, (name) =>
      parseConfigMapReference('--resource-policies-configmap', name),
    ),
    ownerRefConfigMap: given(flags.ownerRefRestoreConfigmap, ownerRefConfigMap),
    // Always sent, even empty, as Velero does (cli.md section 4).
    uploaderConfig: withoutAbsent({
      writeSparseFiles: flags.writeSparseFiles,
      parallelFilesDownload: given(flags.parallelFilesDownload, (text) =>
        parseFileCount('parallel-files-download', text),
      ),
      deleteExtraFiles: flags.deleteExtraFiles,
      directRestore: flags.directRestore,
    }),
  });
  checkFilters(validateRestoreFilters(spec));
  return spec;
}

/** @throws AppError BAD_FLAG in Velero's words (cli.md section 4) */
function resourcePolicy(text: string): string {
  const found = existingResourcePolicies.find((policy) => policy === text.toLowerCase());
  if (found === undefined)
    throw badFlag('existing-resource-policy has invalid value, it accepts only none, update as value');
  return found;
}

function volumeDataPolicy(text: string): string {
  const found = existingPolicies.find((policy) => policy === text.toLowerCase());
  if (found === undefined)
    throw badFlag('existing-volume-data-policy has invalid value, it accepts only none, full, incremental as value');
  return found;
}

/** Set only when resources are included: excluded ones alone mean that no status is restored (cli.md section 4). */
const restoreStatus = ({
  statusIncludeResources: includedResources,
  statusExcludeResources: excludedResources,
}: RestoreFlags): RestoreSpec['restoreStatus'] | undefined =>
  includedResources === undefined ? undefined : withoutAbsent({ includedResources, excludedResources });

function ownerRefConfigMap(name: string): string {
  if (!isObjectName(name))
    throw badFlag(`--owner-ref-restore-configmap: ${quoted(name)} is not the name of a ConfigMap`);
  return name;
}
