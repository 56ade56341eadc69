import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { AppError } from '@lateen/errors';

/** The absolute path of a program by its name or path; undefined when it is missing or not executable. */
export async function programOnPath(program: string, path: string): Promise<string | undefined> {
  const places = isAbsolute(program) ? [program] : path.split(':').map((directory) => join(directory || '/', program));
  for (const place of places) {
    const found = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return place;
  }
  return undefined;
}

/** @throws AppError `PROGRAM_NOT_FOUND` */
export async function neededProgram(program: string, path: string): Promise<string> {
  const found = await programOnPath(program, path);
  if (found !== undefined) return found;
  throw new AppError('PROGRAM_NOT_FOUND', `${program} cannot be found on ${path}`, {
    nextStep: 'Use the image that has it, or name it by its flag.',
  });
}
