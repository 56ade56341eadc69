import { cronProblem, readSettings, type Settings } from '@lateen/volume-decisions';
import type { StorageReader } from './storage-reader.ts';

/** All settings as they are now; a missing or invalid one has its default. */
export const settingsOf = (reader: StorageReader): Settings =>
  readSettings(reader.list('settings'), { cronProblem }).settings;
