import { directoryIn } from './directories.ts';

/** Every file of a restore (object-store-layout.md section 2); outcomes of items and plan are ours. */
const names = {
  log: (name: string) => `restore-${name}-logs.gz`,
  results: (name: string) => `restore-${name}-results.gz`,
  resourceList: (name: string) => `restore-${name}-resource-list.json.gz`,
  itemOperations: (name: string) => `restore-${name}-itemoperations.json.gz`,
  itemOutcomes: (name: string) => `restore-${name}-item-outcomes.json.gz`,
  plan: (name: string) => `restore-${name}-plan.json.gz`,
  // The one without `restore-` in front.
  volumeInfo: (name: string) => `${name}-volumeinfo.json.gz`,
} as const;

export type RestoreFile = keyof typeof names;

/** As `backupKey`, of a file of a restore. */
export const restoreKey = (prefix: string, restore: string, file: RestoreFile): string =>
  directoryIn(prefix, 'restores', restore) + names[file](restore);
