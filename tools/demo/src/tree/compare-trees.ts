import { readablePath, type TreeEntry } from './tree-entry.ts';

/** The aspects that are compared, one row of the demo's table each. */
export const aspects = [
  'entries',
  'types',
  'content',
  'modes',
  'owners',
  'modification times',
  'folder times',
  'symlink targets',
  'sparse files',
  'hard links',
  'extended attributes',
  'POSIX ACLs',
  'file capabilities',
  'FIFOs and devices',
] as const;
export type Aspect = (typeof aspects)[number];

export interface AspectResult {
  aspect: Aspect;
  /** Number of entries of the source that have it. */
  compared: number;
  /** Readable paths of entries that differ in the restored tree; extra entries count too. */
  different: readonly string[];
}

/** Compares a restored tree with its source, entry by entry. A pure function. */
export function compareTrees(source: readonly TreeEntry[], restored: readonly TreeEntry[]): AspectResult[] {
  const byPath = new Map(restored.map((entry) => [entry.path, entry]));
  const known = new Set(source.map((entry) => entry.path));
  const extra = restored
    .filter((entry) => !known.has(entry.path))
    .map((entry) => `${readablePath(entry.path)} (not in the source)`);
  return aspects.map((aspect) => {
    const relevant = source.filter((entry) => hasAspect(aspect, entry));
    const different = relevant
      .filter((entry) => !isSame(aspect, entry, byPath.get(entry.path)))
      .map((entry) => readablePath(entry.path));
    return {
      aspect,
      compared: relevant.length,
      different: aspect === 'entries' ? [...different, ...extra] : different,
    };
  });
}

const isSpecial = (entry: TreeEntry): boolean =>
  entry.type !== 'file' && entry.type !== 'directory' && entry.type !== 'symlink';

function hasAspect(aspect: Aspect, entry: TreeEntry): boolean {
  // A listening process creates its socket again; a copy of a socket is of no use.
  if (entry.type === 'socket') return false;
  switch (aspect) {
    case 'entries':
    case 'types':
    case 'owners':
      return true;
    case 'modification times':
      return entry.type !== 'directory';
    case 'folder times':
      return entry.type === 'directory';
    case 'content':
      return entry.type === 'file';
    case 'modes':
      return entry.type !== 'symlink';
    case 'symlink targets':
      return entry.type === 'symlink';
    case 'sparse files':
      return isSparse(entry);
    case 'hard links':
      return entry.sameInodeAs !== undefined;
    case 'extended attributes':
      return entry.xattrs !== undefined;
    case 'POSIX ACLs':
      return entry.acl !== undefined;
    case 'file capabilities':
      return entry.capability !== undefined;
    case 'FIFOs and devices':
      return isSpecial(entry);
  }
}

/** Files of at least 1 MiB of which less than half is allocated. */
function isSparse(entry: TreeEntry): boolean {
  return entry.type === 'file' && entry.sizeBytes >= 1 << 20 && entry.allocatedBytes < entry.sizeBytes / 2;
}

function isSame(aspect: Aspect, source: TreeEntry, restored: TreeEntry | undefined): boolean {
  if (restored === undefined) return false;
  switch (aspect) {
    case 'entries':
      return true;
    case 'types':
      return restored.type === source.type;
    case 'FIFOs and devices':
      return restored.type === source.type && restored.device === source.device;
    case 'content':
      return restored.sha256 === source.sha256 && restored.sizeBytes === source.sizeBytes;
    case 'modes':
      return restored.mode === source.mode;
    case 'owners':
      return restored.uid === source.uid && restored.gid === source.gid;
    case 'modification times':
    case 'folder times':
      return restored.mtimeNs === source.mtimeNs;
    case 'symlink targets':
      return restored.target === source.target;
    case 'sparse files':
      return isSparse(restored);
    case 'hard links':
      return restored.sameInodeAs === source.sameInodeAs;
    case 'extended attributes':
      return restored.xattrs?.join('\n') === source.xattrs?.join('\n');
    case 'POSIX ACLs':
      return restored.acl === source.acl;
    case 'file capabilities':
      return restored.capability === source.capability;
  }
}

/** True when nothing differs. */
export function isFaithful(results: readonly AspectResult[]): boolean {
  return results.every((result) => result.different.length === 0);
}
