import { AppError } from '@lateen/errors';

/** A repository, or a part of one, that this reader does not know; the engine may. `what` is named to people. */
export const unsupported = (what: string): AppError =>
  new AppError('REPOSITORY_FORMAT_UNSUPPORTED', `the repository uses ${what}, which is not read without the engine`);
