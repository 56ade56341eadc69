import type { FileState, StoredMaps } from '@lateen/changed-files';
import type { UploadRequest } from '@lateen/datapath';
import type { Logger } from '@lateen/kernel';
import type { SplicedFiles } from '@lateen/repository';

/**
 * Why files are read although the changes are known: the maps of some had no room in the base, and at least one large file without a map there
 * is read. Undefined otherwise. Pure.
 */
export function noRoomBefore(maps: StoredMaps | undefined, files: SplicedFiles['files']): string | undefined {
  if (maps === undefined || maps.leftOut === 0) return undefined;
  const stored = new Set(maps.files.map(({ path }) => path));
  const isRead = [...files].some(([path, each]) => each.kind === 'engine' && !each.isKnown && !stored.has(path));
  return isRead
    ? `maps of large files had no room in the base snapshot: ${maps.leftOut} with too many extents`
    : undefined;
}

/** Says that the next upload will read these files as a whole. */
export function tellNoRoom(
  log: Logger,
  { onWarning }: Pick<UploadRequest, 'onWarning'>,
  left: readonly FileState[],
): void {
  const [most] = left.toSorted((a, b) => b.runs.length - a.runs.length);
  if (most === undefined) return;
  const [path, extents] = [most.path, most.runs.length];
  log.warn({ files: left.length, path, extents }, 'maps of large files have no room in the snapshot');
  onWarning?.(
    `The next upload reads large files as a whole whose maps have no room in the snapshot: ${left.length}, most extents ${extents} of ${path}.`,
  );
}
