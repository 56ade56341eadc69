import type { BackupHooks, BackupResourceHook, BackupResourceHookSpec, BackupSpec } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import { fields, indented, listText, orNone, section } from '../../output/description.ts';
import { orSelectorText, selectorText } from '../../output/selector-text.ts';

/** true, false, or auto where it is left open. */
export const boolText = (value: boolean | null | undefined, open = 'auto'): string =>
  value === undefined || value === null ? open : String(value);

/** What a backup is made of, in the order of the reference (cli.md section 9); a Schedule's template has the same. Blocks. */
export function specSections(spec: BackupSpec): string[][] {
  return [
    section(
      'Namespaces',
      fields([
        ['Included', listText(spec.includedNamespaces, '*')],
        ['Excluded', listText(spec.excludedNamespaces)],
      ]),
    ),
    section('Resources', fields(resourceRows(spec))),
    [`Label selector:  ${plainLine(selectorText(spec.labelSelector))}`],
    [`Or label selector:  ${plainLine(orSelectorText(spec.orLabelSelectors))}`],
    [`Storage Location:  ${orNone(spec.storageLocation)}`],
    fields([
      ['Velero-Native Snapshot PVs', boolText(spec.snapshotVolumes)],
      ['File System Backup (Default)', boolText(spec.defaultVolumesToFsBackup, 'false')],
      ['Snapshot Move Data', boolText(spec.snapshotMoveData)],
      ['Data Mover', plainLine(spec.datamover || 'velero')],
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

/** Policies and settings, which come before the rest where they are set. */
export function settingSections({ resourcePolicy, uploaderConfig }: BackupSpec): string[][] {
  const files = uploaderConfig?.parallelFilesUpload;
  return [
    resourcePolicy === undefined
      ? []
      : section(
          'Resource policies',
          fields([
            ['Type', plainLine(resourcePolicy.kind)],
            ['Name', plainLine(resourcePolicy.name)],
          ]),
        ),
    files ? section('Uploader config', fields([['Parallel files upload', String(files)]])) : [],
  ];
}

/** Whether the filters by scope are used, which are not mixed with the older ones. */
export const usesScopedFilters = (spec: BackupSpec): boolean =>
  [
    spec.includedClusterScopedResources,
    spec.excludedClusterScopedResources,
    spec.includedNamespaceScopedResources,
    spec.excludedNamespaceScopedResources,
  ].some((names) => names && names.length > 0);

export const clusterScopedText = ({ includeClusterResources }: BackupSpec): string =>
  includeClusterResources === undefined || includeClusterResources === null
    ? 'auto'
    : includeClusterResources
      ? 'included'
      : 'excluded';

function resourceRows(spec: BackupSpec): [string, string][] {
  if (usesScopedFilters(spec))
    return [
      ['Included cluster-scoped', listText(spec.includedClusterScopedResources)],
      ['Excluded cluster-scoped', listText(spec.excludedClusterScopedResources)],
      ['Included namespace-scoped', listText(spec.includedNamespaceScopedResources, '*')],
      ['Excluded namespace-scoped', listText(spec.excludedNamespaceScopedResources)],
    ];
  return [
    ['Included', listText(spec.includedResources, '*')],
    ['Excluded', listText(spec.excludedResources)],
    ['Cluster-scoped', clusterScopedText(spec)],
  ];
}

function hookLines(hooks: BackupHooks | undefined): string[] {
  const all = hooks?.resources ?? [];
  return all.length === 0 ? [] : ['Resources:', ...indented(all.flatMap(hookLinesOf))];
}

function hookLinesOf(hook: BackupResourceHookSpec): string[] {
  const body = [
    ...section(
      'Namespaces',
      fields([
        ['Included', listText(hook.includedNamespaces, '*')],
        ['Excluded', listText(hook.excludedNamespaces)],
      ]),
    ),
    ...section(
      'Resources',
      fields([
        ['Included', listText(hook.includedResources, '*')],
        ['Excluded', listText(hook.excludedResources)],
      ]),
    ),
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
