import { readablePath, type TreeEntry } from './tree-entry.ts';

/** What is compared, one row of the demo's table each. */
export const aspects = [
  'entries',
  'types',
  'content',
  'modes',
  'owners',
  'modification times',
  'directory times',
  'symlink targets',
  'symlink times below 1 µs',
  'sparse files',
  'hard links',
  'extended attributes',
  'POSIX ACLs',
  'file capabilities',
  'FIFOs and devices',
] as const;
export type Aspect = (typeof aspects)[number];

/** What kopia 0.22 is known not to bring back (measured; listed in the README). Shown as lost, never hidden. */
export const knownLosses: ReadonlySet<Aspect> = new Set<Aspect>([
  // A folder with entries comes back with the newest time among them: kopia stores no other for it.
  'directory times',
  'symlink times below 1 µs',
  'hard links',
  'extended attributes',
  'POSIX ACLs',
  'file capabilities',
  'FIFOs and devices',
]);

export interface AspectResult {
  aspect: Aspect;
  /** How many entries of the source have it. */
  compared: number;
  /** Readable paths of entries whose restored form differs; extra entries count here too. */
  different: readonly string[];
}

/** Compares a restored tree with its source, entry by entry. Pure. */
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
  if (isSpecial(entry)) return aspect === 'FIFOs and devices';
  switch (aspect) {
    case 'entries':
    case 'types':
    case 'owners':
      return true;
    case 'modification times':
      return entry.type !== 'directory';
    case 'directory times':
      return entry.type === 'directory';
    case 'content':
      return entry.type === 'file';
    case 'modes':
      return entry.type !== 'symlink';
    case 'symlink targets':
    case 'symlink times below 1 µs':
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
      return false;
  }
}

/** Files of at least 1 MiB of which the file system stores less than half. */
function isSparse(entry: TreeEntry): boolean {
  return entry.type === 'file' && entry.sizeBytes >= 1 << 20 && entry.allocatedBytes < entry.sizeBytes / 2;
}

function isSame(aspect: Aspect, source: TreeEntry, restored: TreeEntry | undefined): boolean {
  if (restored === undefined) return false;
  switch (aspect) {
    case 'entries':
      return true;
    case 'types':
    case 'FIFOs and devices':
      return restored.type === source.type;
    case 'content':
      return restored.sha256 === source.sha256 && restored.sizeBytes === source.sizeBytes;
    case 'modes':
      return restored.mode === source.mode;
    case 'owners':
      return restored.uid === source.uid && restored.gid === source.gid;
    case 'modification times':
      return source.type === 'symlink' ? isWithinMicrosecond(restored, source) : restored.mtimeNs === source.mtimeNs;
    case 'directory times':
      return restored.mtimeNs === source.mtimeNs;
    case 'symlink times below 1 µs':
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

/** kopia rounds a symlink's time up to whole microseconds. */
function isWithinMicrosecond(a: TreeEntry, b: TreeEntry): boolean {
  const difference = BigInt(a.mtimeNs) - BigInt(b.mtimeNs);
  return difference > -1000n && difference < 1000n;
}

/** True when nothing differs but what is known to be lost. */
export function isFaithful(results: readonly AspectResult[]): boolean {
  return results.every((result) => result.different.length === 0 || knownLosses.has(result.aspect));
}
