/** What a fake backing file or device holds. `whole` is false while a command that was killed left it half-made. */
export interface FakeContent {
  fileSystem?: { type: string; sizeBytes: number; whole: boolean };
  /** What a pod has written, in order. */
  written: string[];
  whole: boolean;
}

export interface FakeFile {
  inode: number;
  sizeBytes: number;
  text?: string;
  content: FakeContent;
}

export interface FakeLoop {
  name: string;
  device: string;
  inode: number;
  file: string;
  readOnly: boolean;
  sizeBytes: number;
}

export interface FakeMount {
  device: string;
  root: string;
  mountPoint: string;
  readOnly: boolean;
  superReadOnly?: boolean;
  fileSystem: string;
  source: string;
}

/** The state of a machine that survives the death of the driver's process. */
export class FakeDisk {
  readonly files = new Map<string, FakeFile>();
  readonly directories = new Set<string>(['/']);
  readonly loops: FakeLoop[] = [];
  readonly mounts: FakeMount[] = [];
  readonly frozen = new Set<string>();
  hasReflink = true;
  growsExt4Online = true;
  freeBytes = 64 * 1024 ** 3;
  #inode = 100;

  makeFile(path: string, sizeBytes: number): FakeFile {
    const file: FakeFile = { inode: this.#inode++, sizeBytes, content: { written: [], whole: true } };
    this.files.set(path, file);
    return file;
  }

  /** The content behind a loop device. */
  contentOf(devicePath: string): FakeFile {
    const loop = this.loops.find(({ name }) => name === devicePath);
    const file = loop === undefined ? undefined : [...this.files.values()].find(({ inode }) => inode === loop.inode);
    if (file === undefined) throw new Error(`${devicePath} has no backing file`);
    return file;
  }

  mountInfo(): string {
    return this.mounts
      .map((mount, at) => {
        const flags = mount.readOnly ? 'ro' : 'rw';
        const head = `${at + 30} 1 ${mount.device} ${mount.root} ${mount.mountPoint} ${flags},relatime shared:1`;
        return `${head} - ${mount.fileSystem} ${mount.source} ${mount.superReadOnly ? 'ro' : 'rw'}\n`;
      })
      .join('');
  }

  /** As a pod would: writes through a published path. */
  write(mountPoint: string, text: string): void {
    const mount = this.mounts.findLast((entry) => entry.mountPoint === mountPoint);
    if (mount === undefined) throw new Error(`nothing is mounted at ${mountPoint}`);
    if (mount.readOnly || mount.superReadOnly) throw new Error(`${mountPoint} is read-only`);
    if (this.frozen.has(mount.device)) throw new Error(`${mountPoint} is frozen`);
    const loop = this.loops.find(({ device, name }) => device === mount.device || mount.root === name.slice(4));
    this.contentOf(loop?.name ?? '').content.written.push(text);
  }
}
