import { AppError } from '@lateen/errors';

type Settings = Readonly<Record<string, string>> | null | undefined;

/** The key of `spec.dataMoverConfig` by which a DataUpload chooses where kopia cuts; capitals do not matter. */
export const splitterKey = 'splitter';

/** The key of `spec.repositoryConfig`, and so of the backup repository ConfigMap, for all block volumes of a repository. */
export const blockSplitterKey = 'blockSplitter';

/** What the format of a repository says that Velero or we have made; kopia's own default. */
export const repositorySplitter = 'DYNAMIC-4M-BUZHASH';

/** For block volumes nobody said anything of: what is written in place stays where it is (docs/adr/0020). */
export const blockSplitterDefault = 'FIXED-4M';

const sizes = ['128K', '256K', '512K', '1M', '2M', '4M', '8M'] as const;

/** All that kopia 0.22 knows, but for two names of old repositories. */
export const splitterNames: readonly string[] = [
  ...sizes.map((size) => `FIXED-${size}`),
  ...sizes.map((size) => `DYNAMIC-${size}-BUZHASH`),
  ...sizes.map((size) => `DYNAMIC-${size}-RABINKARP`),
];

/** The splitter that a data mover configuration asks for; undefined when it says nothing. @throws SPLITTER_UNKNOWN */
export function splitterOf(config: Settings): string | undefined {
  const [key, wanted] = Object.entries(config ?? {}).find(([name]) => name.toLowerCase() === splitterKey) ?? [];
  if (wanted === undefined || wanted === '' || splitterNames.includes(wanted)) return wanted || undefined;
  throw new AppError('SPLITTER_UNKNOWN', `dataMoverConfig.${key} "${wanted}" is no splitter of kopia`, {
    nextStep: `Use one of ${splitterNames.join(', ')}; or leave it out.`,
  });
}

export interface BlockSplitter {
  /** Undefined when the configuration says nothing that we know. */
  splitter: string | undefined;
  /** What it says instead. It counts for nothing: for its sake nobody shall be without a backup. */
  unknown: string | undefined;
}

/** What the configuration of a BackupRepository says for all of its block volumes. */
export function blockSplitterOf(repositoryConfig: Settings): BlockSplitter {
  const wanted = repositoryConfig?.[blockSplitterKey] || undefined;
  const isKnown = wanted === undefined || splitterNames.includes(wanted);
  return isKnown ? { splitter: wanted, unknown: undefined } : { splitter: undefined, unknown: wanted };
}
