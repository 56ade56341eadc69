import {
  type Backup,
  type StorageClass,
  storageClassType,
  type VolumeSnapshotClass,
  volumeSnapshotClassType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { parseDurationMs } from '@lateen/kernel';
import { listAll, readObject } from '@lateen/kube';
import { type SnapshotSight, watchTogether } from '@lateen/volume-snapshots';
import type { ActionContext } from '../contract/action-context.ts';
import { selectorOf } from './backup-labels.ts';

const timeoutByDefault = '10m0s';

/** Shared by all snapshots of one backup: each class is read once, and one watch covers all snapshots. */
export interface CsiRun {
  readonly sight: SnapshotSight;
  /** spec.csiSnapshotTimeout as text, and in ms. */
  readonly timeout: string;
  readonly timeoutMs: number;
  /** Names of contents whose data is moved: they are deleted after that. */
  readonly passingContents: Set<string>;
  snapshotClasses(signal: AbortSignal): Promise<readonly VolumeSnapshotClass[]>;
  /** @throws AppError NO_STORAGE_CLASS */
  storageClass(name: string, signal: AbortSignal): Promise<StorageClass>;
}

/** spec.csiSnapshotTimeout as text and in ms; the default when it is missing or invalid. */
export function timeoutOf({ spec }: Backup): { text: string; ms: number } {
  const ms = parseDurationMs(spec.csiSnapshotTimeout ?? '') ?? 0;
  return ms > 0
    ? { text: spec.csiSnapshotTimeout ?? '', ms }
    : { text: timeoutByDefault, ms: parseDurationMs(timeoutByDefault) ?? 0 };
}

export function csiRun({ backup, kube, clock, random, log }: ActionContext): CsiRun {
  const timeout = timeoutOf(backup);
  let classes: Promise<readonly VolumeSnapshotClass[]> | undefined;
  const storageClasses = new Map<string, Promise<StorageClass | undefined>>();
  return {
    sight: watchTogether({ kube, clock, random, log }, selectorOf(backup)),
    timeout: timeout.text,
    timeoutMs: timeout.ms,
    passingContents: new Set(),
    snapshotClasses: (signal) => {
      const reading = classes ?? listAll(kube, volumeSnapshotClassType, { signal }).then(({ items }) => items);
      classes = reading;
      reading.catch(() => {
        if (classes === reading) classes = undefined;
      });
      return reading;
    },
    storageClass: async (name, signal) => {
      const reading = storageClasses.get(name) ?? readObject(kube, storageClassType, { name }, signal);
      storageClasses.set(name, reading);
      reading.catch(() => storageClasses.delete(name));
      const found = await reading;
      if (found !== undefined) return found;
      throw new AppError('NO_STORAGE_CLASS', `StorageClass "${name}" does not exist`, {
        nextStep: 'It says which driver the volume is of: create it again.',
      });
    },
  };
}

/** One CsiRun per backup, for as long as the Backup object exists. */
export function csiRuns(): (context: ActionContext) => CsiRun {
  const runs = new WeakMap<ActionContext['backup'], CsiRun>();
  return (context) => {
    const known = runs.get(context.backup);
    if (known !== undefined) return known;
    const run = csiRun(context);
    runs.set(context.backup, run);
    return run;
  };
}
