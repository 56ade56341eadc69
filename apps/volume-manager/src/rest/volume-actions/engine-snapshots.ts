import { activeEngine } from '@lateen/storage-rest';
import type { EngineSnapshot } from '@lateen/storage-types';
import type { StorageReader } from '../reading/storage-reader.ts';

/** The snapshots that the engine of a volume has, its head included, by name. */
export const activeEngineSnapshots = (
  volume: string,
  reader: StorageReader,
): Readonly<Record<string, EngineSnapshot>> =>
  activeEngine(reader.ofVolume('engines', volume))?.status?.snapshots ?? {};
