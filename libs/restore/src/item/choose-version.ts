/** Versions of one resource. */
export interface VersionsToChooseFrom {
  /** Versions in the archive, the preferred version of the source first. */
  archived: readonly string[];
  /** Versions that the target cluster serves, the preferred one first. */
  served: readonly string[];
  /** Versions from the ConfigMap `enableapigroupversions`, the most wanted first. */
  wanted?: readonly string[] | undefined;
}

/**
 * Chooses the version in which objects of a resource are restored (backup-and-restore.md section 14). The archive must have it and the
 * target must serve it. Order of preference: the user's wishes, the target's preferred version, the source's preferred version, any other.
 * @returns undefined when no version is in both
 */
export function chooseVersion({ archived, served, wanted = [] }: VersionsToChooseFrom): string | undefined {
  const common = served.filter((version) => archived.includes(version));
  const order = [...wanted, ...served.slice(0, 1), ...archived.slice(0, 1), ...common];
  return order.find((version) => common.includes(version));
}

/** Parses lines `rockbands.music.example.io=v2beta1,v2beta2`; other lines are passed to `onProblem` and left out. */
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
