import { join } from 'node:path';
import type { AnyRecord } from './records.ts';

/** Where things are in the state directory. IDs come from records or from `readId`, never straight from a request. */
export interface StatePaths {
  root: string;
  records: string;
  data: string;
  record(id: string): string;
  backingFile(record: Pick<AnyRecord, 'id'>): string;
  /** The copy that an ext4 grows on; takes the backing file's place, or is removed. */
  growingFile(record: Pick<AnyRecord, 'id'>): string;
}

export const recordSuffix = '.json';

export function statePaths(root: string): StatePaths {
  const records = join(root, 'records');
  const data = join(root, 'data');
  return {
    root,
    records,
    data,
    record: (id) => join(records, `${id}${recordSuffix}`),
    backingFile: ({ id }) => join(data, `${id}.img`),
    growingFile: ({ id }) => join(data, `${id}.img.growing`),
  };
}
