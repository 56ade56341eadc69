/** Content of a fake backing file or device. `whole` is false when a killed command left it incomplete. */
export interface FakeContent {
  fileSystem?: { type: string; sizeBytes: number; whole: boolean };
  /** The data that a pod has written, in order. */
  written: string[];
  whole: boolean;
  /** Bytes written to the device, by block. A copy shares blocks; a write makes a new one. */
  blocks: Map<number, FakeBlock>;
}

export interface FakeBlock {
  /** Its physical address: no other block has the same. */
  home: number;
  bytes: Uint8Array;
}

export const fakeBlockBytes = 4096;
export const emptyContent = (): FakeContent => ({ written: [], whole: true, blocks: new Map() });

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

/** The state of a machine that survives the end of the driver's process. */
export class FakeDisk {
  readonly files = new Map<string, FakeFile>();
  readonly directories = new Set<string>(['/']);
  readonly loops: FakeLoop[] = [];
  readonly mounts: FakeMount[] = [];
  readonly frozen = new Set<string>();
  /** Devices (`/dev/loop3`) whose backend is gone: they exist, and every read is an I/O error. */
  readonly unreadable = new Set<string>();
  hasReflink = true;
  growsExt4Online = true;
  freeBytes = 64 * 1024 ** 3;
  #inode = 100;
  #home = 1;

  makeFile(path: string, sizeBytes: number): FakeFile {
    const file: FakeFile = { inode: this.#inode++, sizeBytes, content: emptyContent() };
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

  writeDevice(devicePath: string, at: number, bytes: Uint8Array): void {
    const { content } = this.contentOf(devicePath);
    for (let done = 0; done < bytes.length; ) {
      const block = Math.floor((at + done) / fakeBlockBytes);
      const within = (at + done) % fakeBlockBytes;
      const piece = bytes.subarray(done, done + fakeBlockBytes - within);
      const whole = content.blocks.get(block)?.bytes.slice() ?? new Uint8Array(fakeBlockBytes);
      whole.set(piece, within);
      content.blocks.set(block, { home: this.#home++, bytes: whole });
      done += piece.length;
    }
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

  /** Writes through a published path, as a pod does. */
  write(mountPoint: string, text: string): void {
    const mount = this.mounts.findLast((entry) => entry.mountPoint === mountPoint);
    if (mount === undefined) throw new Error(`nothing is mounted at ${mountPoint}`);
    if (mount.readOnly || mount.superReadOnly) throw new Error(`${mountPoint} is read-only`);
    if (this.frozen.has(mount.device)) throw new Error(`${mountPoint} is frozen`);
    const loop = this.loops.find(({ device, name }) => device === mount.device || mount.root === name.slice(4));
    this.contentOf(loop?.name ?? '').content.written.push(text);
  }
}

/** Bytes of a fake file; unwritten bytes are zeros. */
export function readBlocks(content: FakeContent, at: number, into: Uint8Array): void {
  for (let done = 0; done < into.length; ) {
    const within = (at + done) % fakeBlockBytes;
    const length = Math.min(fakeBlockBytes - within, into.length - done);
    const block = content.blocks.get(Math.floor((at + done) / fakeBlockBytes));
    if (block === undefined) into.fill(0, done, done + length);
    else into.set(block.bytes.subarray(within, within + length), done);
    done += length;
  }
}
