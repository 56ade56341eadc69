import type { SnapshotSource, VolumeMode } from '@lateen/datapath';

/**
 * restic finds snapshots by tags of the form `key=value` (data-movement.md section 11). Besides the tags of the source there are
 * the source itself, the mode of the volume, and what restic does not keep of a volume.
 */
const keys = { source: 'snapshot-source', mode: 'volume-mode', empty: 'volume-empty', root: 'volume-root' } as const;

/** The tags that find the parent of the next snapshot; they do not name the requester of one particular snapshot. */
export function parentTags({ path, tags }: SnapshotSource, mode: VolumeMode): string[] {
  const { 'snapshot-requester': requester = '', 'snapshot-uploader': uploader = '' } = tags;
  return [
    tag('snapshot-requester', requester),
    tag('snapshot-uploader', uploader),
    tag(keys.source, path),
    tag(keys.mode, mode),
  ];
}

/** All tags of a snapshot. */
export function snapshotTags(
  source: SnapshotSource,
  mode: VolumeMode,
  more: { root?: string; empty?: boolean } = {},
): string[] {
  return [
    ...Object.entries(source.tags).map(([key, value]) => tag(key, value)),
    tag(keys.source, source.path),
    tag(keys.mode, mode),
    ...(more.root === undefined ? [] : [tag(keys.root, more.root)]),
    ...(more.empty === true ? [tag(keys.empty, 'true')] : []),
  ];
}

/** Reads the tags of a snapshot. Snapshots of other programs have none of them, and are those of file systems. */
export function readTags(tags: readonly string[]): { mode: VolumeMode; empty: boolean; root: string | undefined } {
  const textOf = (key: string) => tags.find((each) => each.startsWith(`${key}=`))?.slice(key.length + 1);
  return {
    mode: textOf(keys.mode) === 'Block' ? 'Block' : 'Filesystem',
    empty: textOf(keys.empty) === 'true',
    root: textOf(keys.root),
  };
}

/** restic splits its --tag at commas. */
const tag = (key: string, value: string): string => `${key}=${value}`.replaceAll(',', '%2C');
