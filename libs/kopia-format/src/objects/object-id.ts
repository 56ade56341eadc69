import { isContentId } from '../content-id.ts';
import { snapshotCorrupt } from '../snapshot-corrupt.ts';
import { unsupported } from '../unsupported.ts';

/** An object is one content, or a list of its pieces, which is an object itself. */
export interface ObjectId {
  /** Of the object, or of the innermost list. */
  contentId: string;
  /** How many lists stand between the content and the bytes of the object; 0 for an object of one content. */
  indirection: number;
}

/** More than any file needs: each list has tens of thousands of pieces. */
const indirectionMax = 8;

/** @throws AppError SNAPSHOT_CORRUPT; REPOSITORY_FORMAT_UNSUPPORTED for objects that versions before 0.9 compressed as a whole */
export function parseObjectId(text: string): ObjectId {
  const [, lists = '', flag = '', contentId = ''] = /^(I*)([ZD]?)(.*)$/s.exec(text) ?? [];
  if (flag === 'Z') throw unsupported('objects that are compressed as a whole');
  if (!isContentId(contentId) || lists.length > indirectionMax)
    throw snapshotCorrupt(`${JSON.stringify(text.slice(0, 100))} is not the id of an object`);
  return { contentId, indirection: lists.length };
}
