import { blockSplitterDefault } from '@lateen/repository';

/** What the repository has for a source before it is uploaded to. */
export interface SourcePolicy {
  /** What was chosen for it, or for more than it; undefined: what the repository's format says. */
  splitter: string | undefined;
  /** Somebody has uploaded to it before. */
  isUsed: boolean;
}

/** What a movement wants of the splitter of its source. */
export interface SplitterWish {
  /** Named for this source, or for all of its kind: holds for a source that is used as well. */
  told: string | undefined;
  volumeMode: 'Filesystem' | 'Block';
}

/** Whether the policy of a source counts for anything: most file systems need no look at it. Pure. */
export const needsPolicy = ({ told, volumeMode }: SplitterWish): boolean =>
  told !== undefined || volumeMode === 'Block';

/**
 * The splitter that a source is to get; undefined: it keeps what it has. Another one has everything that is read again stored
 * once more, so a source that is used gets one only when somebody says so (docs/adr/0020). Pure.
 */
export function decideSplitter({ told, volumeMode }: SplitterWish, policy: SourcePolicy): string | undefined {
  if (told !== undefined) return told === policy.splitter ? undefined : told;
  if (volumeMode !== 'Block' || policy.isUsed || policy.splitter !== undefined) return undefined;
  return blockSplitterDefault;
}
