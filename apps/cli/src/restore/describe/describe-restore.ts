import type { Restore, RestoreSpec } from '@lateen/api-types';
import type { RestoreItemOutcome } from '@lateen/backup-store';
import { plainLine } from '@lateen/errors';
import { causesOfRestore, type InspectedRestore, restoreNoun, waitsFor, wishesOf } from '@lateen/operations/restore';
import {
  boolText,
  clusterScopedText,
  namespacesSection,
  referenceSection,
  resourceRows,
  selectorSections,
} from '../../describe/filter-sections.ts';
import { outcomeLines, resourceListLines } from '../../describe/list-sections.ts';
import { metadataLines } from '../../describe/metadata-section.ts';
import { causeSection, resultsSections } from '../../describe/results-sections.ts';
import { hookLines, operationLines, phaseLines, timeLines } from '../../describe/run-sections.ts';
import { fields, orNone, page, section } from '../../output/description.ts';
import { restoredVolumeSections } from './volume-sections.ts';

/**
 * The whole description of a restore, as text: the headings of Velero in its order (cli.md section 9), with the causes of
 * failures right below the phase, and outcomes of items, which Velero does not have.
 */
export function describeRestore(inspected: InspectedRestore, { details }: { details: boolean }): string {
  const { restore } = inspected;
  const { spec, status = {} } = restore;
  const ahead = waitsFor(restore);
  const { items, operations } = restoreNoun.countsOf(restore);
  return page([
    metadataLines(restore),
    phaseLines(restoreNoun, restore),
    ahead.length === 0 ? [] : [`Waits for:  ${plainLine(ahead.join(', '))}`],
    causeSection(causesOfRestore(inspected)),
    status.progress
      ? fields([
          ['Total items to be restored', String(items.total)],
          ['Items restored', String(items.done)],
        ])
      : [],
    timeLines(restore),
    status.validationErrors?.length ? section('Validation errors', status.validationErrors.map(plainLine)) : [],
    ...resultsSections(inspected.results, status),
    ...sourceSections(spec),
    ...restoredVolumeSections(inspected, details),
    ...settingSections(restore),
    operationLines('Restore', operations, inspected.operations, details),
    hookLines(status.hookStatus),
    resourceListLines('restore', inspected.resources),
    outcomeLines(inspected.outcomes, outcomeCells),
  ]);
}

/** Source and target of the restore. Blocks. */
function sourceSections(spec: RestoreSpec): string[][] {
  const mappings = Object.entries(spec.namespaceMapping ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    spec.scheduleName
      ? fields([
          ['Backup', orNone(spec.backupName)],
          ['Schedule', plainLine(spec.scheduleName)],
        ])
      : [`Backup:  ${orNone(spec.backupName)}`],
    namespacesSection(spec),
    section(
      'Resources',
      fields([...resourceRows(spec), ['Cluster-scoped', clusterScopedText(spec.includeClusterResources)]]),
    ),
    section(
      'Namespace mappings',
      fields(mappings.map(([from, to]): [string, string] => [plainLine(from), plainLine(to)])),
    ),
    ...selectorSections(spec),
    [`Restore PVs:  ${boolText(spec.restorePVs)}`],
  ];
}

/** The settings of the restore; those that Velero does not print are shown only when they are set. Blocks. */
function settingSections(restore: Restore): string[][] {
  const { spec } = restore;
  const wishes = wishesOf(restore);
  const { parallelFilesDownload: files, writeSparseFiles, deleteExtraFiles, directRestore } = spec.uploaderConfig ?? {};
  const uploader: [string, string][] = [
    ...(files ? [['Parallel Restore', String(files)] satisfies [string, string]] : []),
    ...(writeSparseFiles ? [['Write Sparse Files', 'true'] satisfies [string, string]] : []),
    ...(deleteExtraFiles ? [['Delete Extra Files', 'true'] satisfies [string, string]] : []),
    ...(directRestore === false ? [['Direct Restore', 'false'] satisfies [string, string]] : []),
  ];
  return [
    [`Existing Resource Policy:  ${orNone(spec.existingResourcePolicy)}`],
    spec.existingVolumeDataPolicy ? [`Existing Volume Data Policy:  ${plainLine(spec.existingVolumeDataPolicy)}`] : [],
    ...wishNames.flatMap(([name, head]) =>
      wishes[name] === undefined ? [] : [[`${head}:  ${plainLine(wishes[name])}`]],
    ),
    [`ItemOperationTimeout:  ${orNone(spec.itemOperationTimeout)}`],
    [`Preserve Service NodePorts:  ${boolText(spec.preserveNodePorts)}`],
    referenceSection('Resource policies', spec.resourcePolicy),
    referenceSection('Resource modifier', spec.resourceModifier),
    spec.ownerRefConfigMap ? [`Owner References ConfigMap:  ${plainLine(spec.ownerRefConfigMap)}`] : [],
    spec.dryRun === true ? ['Dry Run:  true'] : [],
    uploader.length === 0 ? [] : section('Uploader config', fields(uploader)),
  ];
}

/** Settings without a field in Velero's API. */
const wishNames = [
  ['existingVolumes', 'Existing Volumes'],
  ['scaleWorkloads', 'Scale Workloads'],
  ['keepOldData', 'Keep Old Data'],
  ['waitForData', 'Wait For Data'],
  ['onFailedPodVolume', 'On Failed Pod Volume'],
] as const;

/** The restored object, with its source object when that differs. */
export function restoredObjectText({ namespace, name, sourceNamespace, sourceName }: RestoreItemOutcome): string {
  const target = [namespace, name].filter(Boolean).join('/');
  if (sourceNamespace === undefined && sourceName === undefined) return target;
  return `${target} (from ${[sourceNamespace ?? namespace, sourceName ?? name].filter(Boolean).join('/')})`;
}

const outcomeCells = (outcome: RestoreItemOutcome): string[] => [
  outcome.act,
  outcome.kind,
  restoredObjectText(outcome),
  outcome.reason ?? '',
  outcome.by ?? '',
];
