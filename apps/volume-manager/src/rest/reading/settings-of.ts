import { cronProblem, readSettings, type Settings } from '@lateen/volume-decisions';
import type { StorageReader } from './storage-reader.ts';

/** All settings as they are now; the default stands in for one that is not there or of no use. */
export const settingsOf = (reader: StorageReader): Settings =>
  readSettings(reader.list('settings'), { cronProblem }).settings;
