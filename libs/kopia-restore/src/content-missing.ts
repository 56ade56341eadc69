import { AppError } from '@lateen/errors';
import { type PlacedEntry, pathOf } from './tree-entry.ts';

/** The index of the repository does not know a content that the snapshot has. */
export function contentMissing(contentId: string, entry: PlacedEntry | undefined): AppError {
  const of = entry === undefined ? '' : ` of ${pathOf(entry)}`;
  return new AppError('CONTENT_MISSING', `content ${contentId}${of} is not in the index of the repository`, {
    retry: 'later',
    nextStep: 'Verify the repository with kopia snapshot verify; restore missing blobs from a copy of the bucket.',
  });
}
