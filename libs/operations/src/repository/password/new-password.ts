import { AppError } from '@lateen/errors';
import { isWellKnownPassword } from '@lateen/repository';

/** Shorter passwords can be found by brute force by anybody with access to the bucket. */
const lengthMin = 12;
/** The limit; an environment variable passes the password to the engine, and longer passwords are not typed. */
export const passwordBytesMax = 1024;

/** Refuses passwords that could not be read back unchanged, and those that are too weak. @throws AppError BAD_PASSWORD */
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
  if (Buffer.byteLength(password) > passwordBytesMax) return `it has more than ${passwordBytesMax} bytes`;
  if (isWellKnownPassword(password)) return 'it is publicly known';
  if (password === current) return 'it is the one in use';
  if ([...password].length < lengthMin) return `it has fewer than ${lengthMin} characters`;
  return undefined;
}
