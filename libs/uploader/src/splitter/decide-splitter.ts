import { blockSplitterDefault } from '@lateen/repository';

/** The policy of a source in the repository, before an upload to it. */
export interface SourcePolicy {
  /**
   * The splitter that was chosen for this source, or for a wider scope; undefined means the default of the repository's format.
   */
  splitter: string | undefined;
  /** The source has been uploaded to before. */
  isUsed: boolean;
}

/** Which splitter a movement wants for its source. */
export interface SplitterWish {
  /** A splitter that is named for this source, or for all of its kind: it applies also to a source that has snapshots already. */
  told: string | undefined;
  volumeMode: 'Filesystem' | 'Block';
}

/** Whether the policy of a source matters: for most file systems it need not be read. Pure. */
export const needsPolicy = ({ told, volumeMode }: SplitterWish): boolean =>
  told !== undefined || volumeMode === 'Block';

/**
 * The splitter that a source is to get; undefined means that it keeps what it has. With another splitter, everything that is read
 * again is stored once more, so a source with snapshots gets one only when somebody names it (docs/adr/0020). Pure.
 */
export function decideSplitter({ told, volumeMode }: SplitterWish, policy: SourcePolicy): string | undefined {
  if (told !== undefined) return told === policy.splitter ? undefined : told;
  if (volumeMode !== 'Block' || policy.isUsed || policy.splitter !== undefined) return undefined;
  return blockSplitterDefault;
}
