/** Versions of one resource. */
export interface VersionsToChooseFrom {
  /** In the archive, the one that the source preferred first. */
  archived: readonly string[];
  /** Of the target cluster, the preferred one first. */
  served: readonly string[];
  /** From the ConfigMap `enableapigroupversions`, the most wanted first. */
  wanted?: readonly string[] | undefined;
}

/**
 * The version in which objects of a resource are restored (backup-and-restore.md section 14): one that the archive has and the target serves;
 * what the user wants goes before what the target prefers, that before what the source preferred, and that before any other.
 * @returns undefined when no version is in both
 */
export function chooseVersion({ archived, served, wanted = [] }: VersionsToChooseFrom): string | undefined {
  const common = served.filter((version) => archived.includes(version));
  const order = [...wanted, ...served.slice(0, 1), ...archived.slice(0, 1), ...common];
  return order.find((version) => common.includes(version));
}

/** Lines `rockbands.music.example.io=v2beta1,v2beta2`; what is no such line is given to `onProblem` and left out. */
export function parseVersionPriorities(
  text: string,
  onProblem: (line: string) => void,
): ReadonlyMap<string, readonly string[]> {
  const priorities = new Map<string, readonly string[]>();
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const [, resource, list = ''] = /^([^=\s]+)\s*=\s*([^=]+)$/.exec(line) ?? [];
    const versions = list.split(',').map((each) => each.trim());
    if (resource === undefined || versions.some((version) => !/^v\d+((alpha|beta)\d+)?$/.test(version)))
      onProblem(line);
    else priorities.set(resource, versions);
  }
  return priorities;
}
