import { readFile, stat } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import { isWellKnownPassword } from '@lateen/repository';

/** Shorter ones can be tried out by whoever gets hold of the bucket. */
const lengthMin = 12;
/** An environment variable hands it to the engine; nobody types more. */
const bytesMax = 1024;

/** Refuses what could not be read back as it was written, and what protects nothing. @throws AppError BAD_PASSWORD */
export function checkNewPassword(password: string, current: string): string {
  const wrong = whatIsWrong(password, current);
  if (wrong === undefined) return password;
  throw new AppError('BAD_PASSWORD', `this cannot be the new password: ${wrong}`, {
    nextStep: 'Choose another one; openssl rand -base64 33 makes a good one.',
  });
}

function whatIsWrong(password: string, current: string): string | undefined {
  if (password === '') return 'it is empty';
  if (password !== password.trim()) return 'white space at its ends would be lost';
  if (/\p{Cc}/u.test(password)) return 'it has a control character or more than one line';
  if (Buffer.byteLength(password) > bytesMax) return `it has more than ${bytesMax} bytes`;
  if (isWellKnownPassword(password)) return 'everybody knows it';
  if (password === current) return 'it is the one in use';
  if ([...password].length < lengthMin) return `it has fewer than ${lengthMin} characters`;
  return undefined;
}

/** The first line of a file; line breaks at its end do not count. @throws AppError BAD_FLAG */
export async function readPasswordFile(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > 2 * bytesMax) throw new Error(`it has ${size} bytes`);
    return (await readFile(path, 'utf8')).replace(/[\r\n]+$/, '');
  } catch (error) {
    throw new AppError('BAD_FLAG', `--password-file ${JSON.stringify(path)} cannot be read`, { cause: error });
  }
}

/** Asks twice. @throws AppError BAD_PASSWORD when the answers differ, BAD_FLAG when nobody can be asked */
export async function askNewPassword(ask: ((question: string) => Promise<string>) | undefined): Promise<string> {
  if (ask === undefined)
    throw new AppError('BAD_FLAG', 'nobody can be asked for the new password', {
      nextStep: 'Give --password-file where there is no terminal.',
    });
  const first = await ask('New password of the repositories: ');
  const second = await ask('The same once more: ');
  if (first === second) return first;
  throw new AppError('BAD_PASSWORD', 'the two passwords are not the same; nothing was changed');
}
