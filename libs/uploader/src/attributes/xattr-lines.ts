import { AppError } from '@lateen/errors';
import type { ByteText, XattrRecord } from './attribute-record.ts';

const fileMark = '# file: ';

/**
 * Parses the lines of `getfattr -d -e base64 --absolute-names`: a path and then its attributes, `name=0s<base64>`. "\", newlines
 * and, in names, "=" are written as three octal digits.
 */
export class XattrLines {
  readonly #root: ByteText;
  #path: ByteText | undefined;

  /** @param root the path that was passed to getfattr, without a trailing slash */
  constructor(root: ByteText) {
    this.#root = root;
  }

  /** The attribute on this line, if there is one and it is kept. @throws SCAN_BAD_ANSWER */
  take(line: string): XattrRecord | undefined {
    if (line === '') return undefined;
    if (line.startsWith(fileMark)) {
      this.#path = this.#below(unescaped(line.slice(fileMark.length)));
      return undefined;
    }
    const match = /^([^=]+)(?:=0s([A-Za-z0-9+/=]*))?$/s.exec(line);
    if (this.#path === undefined || match === null) throw badAnswer(line);
    const name = unescaped(match[1] ?? '');
    return isKept(name) ? { type: 'xattr', path: this.#path, name, value: match[2] ?? '' } : undefined;
  }

  #below(path: ByteText): ByteText {
    if (path === this.#root) return '';
    if (path.startsWith(`${this.#root}/`)) return path.slice(this.#root.length + 1);
    throw badAnswer(path);
  }
}

/**
 * True for attributes that belong to the data: the user's, ACLs, capabilities, and trusted ones where the pod may see them. False
 * for labels that a host sets by its own policy (security.selinux, security.ima …): they would be wrong on the next host, whose
 * container runtime labels the volume itself.
 */
export function isKept(name: ByteText): boolean {
  return (
    /^(user|trusted)\../s.test(name) ||
    name === 'security.capability' ||
    name === 'system.posix_acl_access' ||
    name === 'system.posix_acl_default'
  );
}

/** The line that tells setfattr --restore to which file the next attributes belong. */
export const restoreFileLine = (absolutePath: ByteText): ByteText => `${fileMark}${escaped(absolutePath)}\n`;

/** setfattr accepts an empty value only without an encoding. */
export const restoreXattrLine = ({ name, value }: XattrRecord): ByteText =>
  `${escaped(name).replaceAll('=', '\\075')}=${value === '' ? '""' : `0s${value}`}\n`;

const unescaped = (text: string): ByteText =>
  text.replace(/\\([0-3][0-7]{2})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

const escaped = (bytes: ByteText): string =>
  bytes.replace(/[\\\n\r]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);

const badAnswer = (line: string): AppError =>
  new AppError(
    'SCAN_BAD_ANSWER',
    `getfattr printed a line that is not an attribute: ${JSON.stringify(line.slice(0, 120))}`,
  );
