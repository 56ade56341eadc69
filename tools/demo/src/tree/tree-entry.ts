/** Attributes of one file, folder or link of a volume. Paths and link targets are bytes, in base64, because names need not be UTF-8. */
export interface TreeEntry {
  path: string;
  type: 'file' | 'directory' | 'symlink' | 'fifo' | 'character-device' | 'block-device' | 'socket';
  /** Permission bits with setuid, setgid and sticky. */
  mode: number;
  uid: number;
  gid: number;
  sizeBytes: number;
  allocatedBytes: number;
  /** Nanoseconds since the epoch, decimal. */
  mtimeNs: string;
  /** Files only. */
  sha256?: string;
  /** Devices only, `major:minor`. */
  device?: string;
  /** Symlinks only, base64. */
  target?: string;
  /** Path of the first entry with the same inode, when there is more than one. */
  sameInodeAs?: string;
  /** `name=base64` of each extended attribute except ACLs and capabilities, sorted. */
  xattrs?: readonly string[];
  /** POSIX ACL beyond the mode, base64. */
  acl?: string;
  /** `security.capability`, base64. */
  capability?: string;
}

/** Parses the output of read-tree.mjs. @throws when a line is not an entry, or the last line is missing (truncated output) */
export function parseTree(text: string): TreeEntry[] {
  const lines = text.split('\n').filter((line) => line !== '');
  const closing = lines.pop();
  const entries = lines.map((line) => JSON.parse(line) as TreeEntry);
  const expected = closing === undefined ? undefined : (JSON.parse(closing) as { entries?: number }).entries;
  if (expected !== entries.length)
    throw new Error(
      `the listing of the directory is incomplete: it has ${entries.length} entries, expected ${expected ?? 'a last line with their number'}`,
    );
  return entries;
}

/** The entry's path for display; bytes that are not UTF-8, and control characters, are escaped. */
export function readablePath(path: string): string {
  return JSON.stringify(Buffer.from(path, 'base64').toString('utf8')).slice(1, -1);
}
