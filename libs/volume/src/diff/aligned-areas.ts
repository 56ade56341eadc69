import type { Area } from '@lateen/file-extents';

/** Areas widened to whole granules and merged where they touch; the last ends at the end of the file at most. */
export async function* alignedAreas(
  areas: AsyncIterable<Area>,
  o: { granularityBytes: number; sizeBytes: number },
): AsyncGenerator<Area> {
  const { granularityBytes: granule, sizeBytes } = o;
  let open: Area | undefined;
  for await (const area of areas) {
    const startBytes = Math.floor(area.startBytes / granule) * granule;
    const endBytes = Math.min(Math.ceil(area.endBytes / granule) * granule, sizeBytes);
    if (open !== undefined && startBytes <= open.endBytes) open.endBytes = Math.max(open.endBytes, endBytes);
    else {
      if (open !== undefined) yield open;
      open = { startBytes, endBytes };
    }
  }
  if (open !== undefined) yield open;
}
