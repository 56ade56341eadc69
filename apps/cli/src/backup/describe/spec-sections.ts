import type { BackupHooks, BackupResourceHook, BackupResourceHookSpec, BackupSpec } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import {
  boolText,
  clusterScopedText,
  namespacesSection,
  referenceSection,
  resourceRows,
  selectorSections,
} from '../../describe/filter-sections.ts';
import { fields, indented, listText, orNone, section } from '../../output/description.ts';
import { selectorText } from '../../output/selector-text.ts';

/** What a backup includes, in the order of Velero (cli.md section 9); a Schedule's template has the same. Blocks. */
export function specSections(spec: BackupSpec): string[][] {
  return [
    namespacesSection(spec),
    section('Resources', fields(rowsOfResources(spec))),
    ...selectorSections(spec),
    [`Storage Location:  ${orNone(spec.storageLocation)}`],
    fields([
      ['Velero-Native Snapshot PVs', boolText(spec.snapshotVolumes)],
      ['File System Backup (Default)', boolText(spec.defaultVolumesToFsBackup, 'false')],
      ['Snapshot Move Data', boolText(spec.snapshotMoveData)],
      ['Data Mover', plainLine(spec.datamover || 'velero')],
      ...(spec.backupType === undefined ? [] : [['Backup Type', plainLine(spec.backupType)] as const]),
    ]),
    [`TTL:  ${orNone(spec.ttl)}`],
    fields([
      ['CSISnapshotTimeout', orNone(spec.csiSnapshotTimeout)],
      ['ItemOperationTimeout', orNone(spec.itemOperationTimeout)],
    ]),
    section('Hooks', hookLines(spec.hooks)),
    ...(Object.keys(spec.orderedResources ?? {}).length === 0 ? [] : [section('OrderedResources', orderedLines(spec))]),
  ];
}

/** Policies and settings; each is shown before the rest when it is set. */
export function settingSections({ resourcePolicy, uploaderConfig }: BackupSpec): string[][] {
  const files = uploaderConfig?.parallelFilesUpload;
  return [
    referenceSection('Resource policies', resourcePolicy),
    files ? section('Uploader config', fields([['Parallel files upload', String(files)]])) : [],
  ];
}

/** Whether the spec uses the filters by scope, which cannot be combined with the older ones. */
export const usesScopedFilters = (spec: BackupSpec): boolean =>
  [
    spec.includedClusterScopedResources,
    spec.excludedClusterScopedResources,
    spec.includedNamespaceScopedResources,
    spec.excludedNamespaceScopedResources,
  ].some((names) => names && names.length > 0);

function rowsOfResources(spec: BackupSpec): [string, string][] {
  if (usesScopedFilters(spec))
    return [
      ['Included cluster-scoped', listText(spec.includedClusterScopedResources)],
      ['Excluded cluster-scoped', listText(spec.excludedClusterScopedResources)],
      ['Included namespace-scoped', listText(spec.includedNamespaceScopedResources, '*')],
      ['Excluded namespace-scoped', listText(spec.excludedNamespaceScopedResources)],
    ];
  return [...resourceRows(spec), ['Cluster-scoped', clusterScopedText(spec.includeClusterResources)]];
}

function hookLines(hooks: BackupHooks | undefined): string[] {
  const all = hooks?.resources ?? [];
  return all.length === 0 ? [] : ['Resources:', ...indented(all.flatMap(hookLinesOf))];
}

function hookLinesOf(hook: BackupResourceHookSpec): string[] {
  const body = [
    ...namespacesSection(hook),
    ...section('Resources', fields(resourceRows(hook))),
    `Label selector:  ${plainLine(selectorText(hook.labelSelector))}`,
    ...(hook.pre ?? []).flatMap((each) => commandLines('Pre Exec Hook', each)),
    ...(hook.post ?? []).flatMap((each) => commandLines('Post Exec Hook', each)),
  ];
  return [`${plainLine(hook.name)}:`, ...indented(body)];
}

const commandLines = (heading: string, { exec }: BackupResourceHook): string[] =>
  section(
    heading,
    fields([
      ['Container', orNone(exec.container)],
      ['Command', plainLine(exec.command.join(' '))],
      ['On Error', orNone(exec.onError)],
      ['Timeout', orNone(exec.timeout)],
    ]),
  );

const orderedLines = ({ orderedResources }: BackupSpec): string[] =>
  Object.entries(orderedResources ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, names]) => plainLine(`${kind}: ${names}`));
