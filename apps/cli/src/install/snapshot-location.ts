import type { VolumeSnapshotLocationSpec } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Command } from 'commander';
import { type ConfigFlag, parseConfig } from '../backup-location/parse-config.ts';
import { parseProvider } from '../backup-location/parse-place.ts';
import { withBooleanFlag } from '../boolean-flag.ts';
import { collectPairs } from '../collect-pairs.ts';

/** Flags for the location of native snapshots. */
export interface SnapshotLocationFlags {
  provider?: string;
  useVolumeSnapshots?: boolean;
  snapshotLocationConfig?: string;
}

export function addSnapshotLocationFlags(command: Command): void {
  withBooleanFlag(
    command,
    '--use-volume-snapshots',
    'make a VolumeSnapshotLocation for --provider, whose plugin takes native snapshots (default: true with --snapshot-location-config)',
  );
  command.option(
    '--snapshot-location-config <key=value,…>',
    'settings of the plugin that takes native snapshots, such as region',
    collectPairs,
  );
}

const configFlag: ConfigFlag = {
  name: '--snapshot-location-config',
  secrets: 'Put it into the file of --secret-file.',
};

/**
 * The default VolumeSnapshotLocation; undefined when the flags ask for none. Unlike Velero, Lateen creates it only on request:
 * without its plugin, every backup would have a warning about it.
 * @throws AppError BAD_FLAG
 */
export function snapshotLocationOf(flags: SnapshotLocationFlags): VolumeSnapshotLocationSpec | undefined {
  const { provider, snapshotLocationConfig, useVolumeSnapshots = snapshotLocationConfig !== undefined } = flags;
  if (!useVolumeSnapshots && snapshotLocationConfig !== undefined)
    throw new AppError('BAD_FLAG', '--snapshot-location-config must be empty when --use-volume-snapshots=false');
  if (!useVolumeSnapshots) return undefined;
  return {
    provider: parseProvider(provider),
    ...(snapshotLocationConfig === undefined ? {} : { config: parseConfig(snapshotLocationConfig, configFlag) }),
  };
}
