import { describeForeign, type Installation } from '@lateen/operations/installation';

/** What uninstall would delete, and what it leaves, as text for the confirmation. */
export function describeRemoval(found: Installation, { keepCrds }: { keepCrds: boolean }): string[] {
  const { namespaceName, namespace, workloads, running, objects, definitions, locations, rights, secrets, configMaps } =
    found;
  const lines: string[] = [];
  for (const { kind, metadata } of running) lines.push(`canceled  ${kind} ${metadata.name}, which has not ended`);
  for (const { kind, metadata } of workloads) lines.push(`removed   ${kind} ${namespaceName}/${metadata.name}`);
  for (const [kind, of] of Map.groupBy(objects, (object) => object.kind))
    lines.push(`removed   ${of.length} ${kind} in namespace ${namespaceName}`);
  if (namespace !== undefined)
    lines.push(
      `removed   Namespace ${namespaceName} with everything in it: ${secrets} Secrets, ${configMaps} ConfigMaps`,
    );
  for (const what of describeForeign(found))
    lines.push(`removed   ${what} in namespace ${namespaceName}, WHICH IS NOT LATEEN'S`);
  for (const { kind, metadata } of rights) lines.push(`removed   ${kind} ${metadata.name}`);
  if (definitions.length > 0) lines.push(fateOfDefinitions(found, keepCrds));
  if (found.hasCsiDriver)
    lines.push('kept      the CSI driver csi.lateen.dev: volumes may be on it (kubectl delete -k deploy/base/csi)');
  const buckets = locations.map(({ spec }) =>
    [spec.objectStorage.bucket, spec.objectStorage.prefix].filter(Boolean).join('/'),
  );
  if (buckets.length > 0) lines.push(`left      what is stored in ${[...new Set(buckets)].join(', ')}`);
  return lines;
}

function fateOfDefinitions({ definitions, othersUsingKinds }: Installation, keepCrds: boolean): string {
  const what = `${definitions.length} CustomResourceDefinitions of velero.io`;
  if (keepCrds) return `kept      ${what}, as asked for`;
  const [first, ...more] = othersUsingKinds;
  if (first === undefined) return `removed   ${what}`;
  return `kept      ${what}: ${first}${more.length > 0 ? ` and ${more.length} others` : ''} needs them`;
}

/** The warning that without the password the data in the bucket is lost. Undefined when there is no password. */
export function passwordWarning({ hasPassword, namespaceName }: Installation): string | undefined {
  if (!hasPassword) return undefined;
  return `Secret ${namespaceName}/velero-repo-credentials goes too. Without its password nobody can ever read what is stored in the bucket: keep it with --save-repository-password FILE.`;
}
