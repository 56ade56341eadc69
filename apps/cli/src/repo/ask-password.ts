import { readFile, stat } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import { passwordBytesMax } from '@lateen/operations/repository';

/** The first line of a file; line breaks at its end do not count. @throws AppError BAD_FLAG */
export async function readPasswordFile(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > 2 * passwordBytesMax) throw new Error(`it has ${size} bytes`);
    return (await readFile(path, 'utf8')).replace(/[\r\n]+$/, '');
  } catch (error) {
    throw new AppError('BAD_FLAG', `--password-file ${JSON.stringify(path)} cannot be read`, { cause: error });
  }
}

/** Asks twice. @throws AppError BAD_PASSWORD when the answers differ, BAD_FLAG when there is no terminal to ask for it */
export async function askNewPassword(ask: ((question: string) => Promise<string>) | undefined): Promise<string> {
  if (ask === undefined)
    throw new AppError('BAD_FLAG', 'there is no terminal to ask for the new password', {
      nextStep: 'Give --password-file where there is no terminal.',
    });
  const first = await ask('New password of the repositories: ');
  const second = await ask('The same once more: ');
  if (first === second) return first;
  throw new AppError('BAD_PASSWORD', 'the two passwords are not the same; nothing was changed');
}
