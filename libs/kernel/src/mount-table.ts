/** One line of /proc/self/mountinfo (proc(5)). */
export interface MountEntry {
  /** `major:minor` of the mounted file system's device. */
  device: string;
  /** The directory or file of that file system which is mounted. */
  root: string;
  mountPoint: string;
  options: readonly string[];
  fileSystem: string;
  source: string;
  superOptions: readonly string[];
}

/** Parses mountinfo; a later line covers an earlier one at the same mount point. Lines of another form are left out. */
export function parseMountInfo(text: string): MountEntry[] {
  return text.split('\n').flatMap((line) => {
    const [before, after] = line.split(' - ');
    const [, , device, root, mountPoint, options] = before?.split(' ') ?? [];
    const [fileSystem, source, superOptions] = after?.split(' ') ?? [];
    if (device === undefined || root === undefined || mountPoint === undefined || fileSystem === undefined) return [];
    return [
      {
        device,
        root: unescaped(root),
        mountPoint: unescaped(mountPoint),
        options: options?.split(',') ?? [],
        fileSystem,
        source: unescaped(source ?? ''),
        superOptions: superOptions?.split(',') ?? [],
      },
    ];
  });
}

/** The topmost mount at a path. */
export function mountAt(mounts: readonly MountEntry[], path: string): MountEntry | undefined {
  return mounts.findLast((mount) => mount.mountPoint === path);
}

/** Space, tab, newline and backslash are written in octal. */
const unescaped = (text: string) =>
  text.replace(/\\([0-7]{3})/g, (_match, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
