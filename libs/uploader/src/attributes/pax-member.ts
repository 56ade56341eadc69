import type { ByteText, InodeFacts } from './attribute-record.ts';

const blockBytes = 512;

/** An archive ends with two empty blocks. */
export const archiveEnd: Buffer = Buffer.alloc(2 * blockBytes);

/** Type flags of POSIX.1-2017 `pax`, "ustar Interchange Format". */
export const memberTypes = {
  'hard link': '1',
  symlink: '2',
  'character-device': '3',
  'block-device': '4',
  directory: '5',
  fifo: '6',
} as const;

export interface PaxMember {
  type: keyof typeof memberTypes;
  inode: InodeFacts;
  /** Of a link of either kind. */
  target?: ByteText;
  major?: number;
  minor?: number;
}

/**
 * One member without content. Everything that does not fit into the old header (long names, times in ns, big IDs) goes into an
 * extended header before it (POSIX.1-2017 `pax`, "pax Extended Header").
 */
export function paxMember({ type, inode, target, major = 0, minor = 0 }: PaxMember): Buffer {
  // A leading "./" gives the root of the volume a path too, and prevents that a name is read as an option.
  const path = inode.path === '' ? '.' : `./${inode.path}`;
  const extended = Buffer.from(
    [
      extendedRecord('path', path),
      extendedRecord('mtime', inode.mtime),
      extendedRecord('uid', String(inode.uid)),
      extendedRecord('gid', String(inode.gid)),
      ...(target === undefined ? [] : [extendedRecord('linkpath', target)]),
    ].join(''),
    'latin1',
  );
  const padding = Buffer.alloc((blockBytes - (extended.length % blockBytes)) % blockBytes);
  const extendedHeader = header({ name: 'pax', mode: 0o600, size: extended.length, type: 'x', major: 0, minor: 0 });
  const own = header({ name: path.slice(0, 100), mode: inode.mode, size: 0, type: memberTypes[type], major, minor });
  return Buffer.concat([extendedHeader, extended, padding, own]);
}

/** `LENGTH KEYWORD=VALUE\n`, where the length counts its own digits. */
export function extendedRecord(keyword: string, value: ByteText): ByteText {
  const rest = ` ${keyword}=${value}\n`;
  let length = rest.length;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return `${length}${rest}`;
}

interface Header {
  name: ByteText;
  mode: number;
  size: number;
  type: string;
  major: number;
  minor: number;
}

/** Offsets and widths of POSIX.1-2017 `pax`, table "ustar Header Block". */
function header({ name, mode, size, type, major, minor }: Header): Buffer {
  const block = Buffer.alloc(blockBytes);
  const number = (value: number, offset: number, width: number): void => {
    block.write(`${value.toString(8).padStart(width - 1, '0')}\0`, offset, width, 'latin1');
  };
  block.write(name, 0, 100, 'latin1');
  number(mode, 100, 8);
  number(0, 108, 8);
  number(0, 116, 8);
  number(size, 124, 12);
  number(0, 136, 12);
  block.write(' '.repeat(8), 148, 8, 'latin1');
  block.write(type, 156, 1, 'latin1');
  block.write('ustar\x0000', 257, 8, 'latin1');
  number(major, 329, 8);
  number(minor, 337, 8);
  // The checksum is the sum of all bytes, with its own field taken as spaces.
  block.write(
    `${block
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
    8,
    'latin1',
  );
  return block;
}
