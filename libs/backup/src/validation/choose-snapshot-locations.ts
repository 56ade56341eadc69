import type { BackupSpec, VolumeSnapshotLocation } from '@lateen/api-types';

export interface SnapshotLocations {
  /** One name for each provider. */
  names: string[];
  errors: string[];
}

/**
 * Chooses one VolumeSnapshotLocation for each provider: the one that the backup names, the only existing one, or the server's default.
 * Errors are in Velero's words (backup-and-restore.md section 1). Empty when the backup takes no snapshots. Pure.
 * @param defaults names by provider
 */
export function chooseSnapshotLocations(
  { snapshotVolumes, volumeSnapshotLocations }: Pick<BackupSpec, 'snapshotVolumes' | 'volumeSnapshotLocations'>,
  locations: readonly VolumeSnapshotLocation[],
  defaults: ReadonlyMap<string, string>,
): SnapshotLocations {
  if (snapshotVolumes === false) return { names: [], errors: [] };
  const named = byName(volumeSnapshotLocations ?? [], locations);
  if (named.errors.length > 0) return { names: [], errors: named.errors };
  const errors: string[] = [];
  for (const [provider, names] of namesByProvider(locations)) {
    if (named.chosen.has(provider)) continue;
    const only = names.length === 1 ? names[0] : defaults.get(provider);
    if (only !== undefined) named.chosen.set(provider, only);
    else
      errors.push(
        `provider ${provider} has more than one possible volume snapshot location, and none were specified explicitly or as a default`,
      );
  }
  return { names: errors.length > 0 ? [] : [...named.chosen.values()], errors };
}

function byName(
  names: readonly string[],
  locations: readonly VolumeSnapshotLocation[],
): { chosen: Map<string, string>; errors: string[] } {
  const chosen = new Map<string, string>();
  const errors: string[] = [];
  for (const name of names) {
    const provider = locations.find(({ metadata }) => metadata.name === name)?.spec.provider;
    if (provider === undefined) {
      const cause = `volumesnapshotlocations.velero.io "${name}" not found`;
      errors.push(
        `a VolumeSnapshotLocation CRD for the location ${name} with the name specified in the backup spec needs to be created before this snapshot can be executed. Error: ${cause}`,
      );
      continue;
    }
    const before = chosen.get(provider);
    if (before !== undefined && before !== name)
      errors.push(
        `more than one VolumeSnapshotLocation name specified for provider ${provider}: ${name}; unexpected name was ${before}`,
      );
    else chosen.set(provider, name);
  }
  return { chosen, errors };
}

function namesByProvider(locations: readonly VolumeSnapshotLocation[]): Map<string, string[]> {
  const byProvider = new Map<string, string[]>();
  for (const { metadata, spec } of locations) {
    const names = byProvider.get(spec.provider) ?? [];
    byProvider.set(spec.provider, [...names, metadata.name ?? '']);
  }
  return byProvider;
}
