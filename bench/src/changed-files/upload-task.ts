import { RangeList } from '@lateen/changed-blocks';
import type { UploadResult } from '@lateen/datapath';
import type { engineMemory } from '@lateen/repository';

/** One upload of a mounted snapshot. */
export interface UploadTask {
  kopia: string;
  target: object;
  runtime: ReturnType<typeof engineMemory>;
  workDirectory: string;
  volumePath: string;
  sourcePath: string;
  config: Record<string, string>;
  baseID?: string | undefined;
  /** A file with the changed ranges, one `offset length` per line. */
  changedFile?: string | undefined;
  deviceBytes: number;
}

export type TimedUpload = UploadResult & { ms: number };

export function rangesIn(text: string, sizeBytes: number): RangeList {
  const list = new RangeList({ sizeBytes, chunkBytes: 1024 * 1024 });
  for (const line of text.split('\n')) {
    const [offset, length] = line.split(' ').map(Number);
    if (offset !== undefined && length !== undefined) list.add({ offset, length });
  }
  return list;
}
