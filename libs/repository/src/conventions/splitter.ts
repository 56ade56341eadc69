import { AppError } from '@lateen/errors';

type Settings = Readonly<Record<string, string>> | null | undefined;

/** The key of `spec.dataMoverConfig` with which a DataUpload chooses kopia's splitter; case is ignored. */
export const splitterKey = 'splitter';

/** The key of `spec.repositoryConfig`, and so of the backup repository ConfigMap, for all block volumes of a repository. */
export const blockSplitterKey = 'blockSplitter';

/** The splitter in the format of a repository that Velero or Lateen has created; kopia's own default. */
export const repositorySplitter = 'DYNAMIC-4M-BUZHASH';

/** For block volumes without a configured splitter: data that is overwritten in place keeps its offsets (docs/adr/0020). */
export const blockSplitterDefault = 'FIXED-4M';

const sizes = ['128K', '256K', '512K', '1M', '2M', '4M', '8M'] as const;

/** All splitters of kopia 0.22, without two names of old repositories. */
export const splitterNames: readonly string[] = [
  ...sizes.map((size) => `FIXED-${size}`),
  ...sizes.map((size) => `DYNAMIC-${size}-BUZHASH`),
  ...sizes.map((size) => `DYNAMIC-${size}-RABINKARP`),
];

/** The splitter of a data mover configuration; undefined when none is set. @throws SPLITTER_UNKNOWN */
export function splitterOf(config: Settings): string | undefined {
  const [key, wanted] = Object.entries(config ?? {}).find(([name]) => name.toLowerCase() === splitterKey) ?? [];
  if (wanted === undefined || wanted === '' || splitterNames.includes(wanted)) return wanted || undefined;
  throw new AppError('SPLITTER_UNKNOWN', `dataMoverConfig.${key} "${wanted}" is not a splitter of kopia`, {
    nextStep: `Use one of ${splitterNames.join(', ')}; or leave it out.`,
  });
}

export interface BlockSplitter {
  /** Undefined when the configuration has no known splitter. */
  splitter: string | undefined;
  /** An unknown value. It is ignored, so that it does not prevent a backup. */
  unknown: string | undefined;
}

/** The configuration of a BackupRepository for all of its block volumes. */
export function blockSplitterOf(repositoryConfig: Settings): BlockSplitter {
  const wanted = repositoryConfig?.[blockSplitterKey] || undefined;
  const isKnown = wanted === undefined || splitterNames.includes(wanted);
  return isKnown ? { splitter: wanted, unknown: undefined } : { splitter: undefined, unknown: wanted };
}
