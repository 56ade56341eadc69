import { AppError } from '@lateen/errors';

/** No index blob has it: maintenance took it for unused, or index blobs are lost. */
export const contentMissing = (contentId: string): AppError =>
  new AppError('CONTENT_MISSING', `content ${contentId} is not in the index of the repository`, {
    details: { contentId },
  });
