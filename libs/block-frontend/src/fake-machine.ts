import type { WantedProcess } from '@lateen/instance-host';
import { type Clock, silentLogger } from '@lateen/kernel';
import { type Files, type RunCommand, volumeError } from '@lateen/volume';
import type { FrontendDeps } from './frontend-deps.ts';

export interface FakeLoop {
  name: string;
  backingDevice: string;
  backingFile: string;
  limit: number;
  autoclear: boolean;
}

/** Waiting takes no real time and advances the clock. */
function jumpingClock(): Clock {
  let nowMs = 0;
  return {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms;
    },
    deadline: () => new AbortController().signal,
  };
}

/** A node as front ends see it: the export of one engine, nbdfuse, loop devices, mounts. Tests inject failures by its fields. */
export class FakeMachine {
  readonly loops: FakeLoop[] = [];
  readonly mounts: { device: string; mountPoint: string; fileSystem: string; root: string }[] = [];
  readonly processes = new Map<string, WantedProcess>();
  /** Operations that changed something, in order. */
  readonly effects: string[] = [];
  exportBytes = 0;
  engineAnswers = true;
  nbdfuseEndsAtOnce = false;
  /** A detached device remains for this number of checks. */
  looksUntilLoopIsGone = 0;
  #device = 57;
  #loop = 3;
  readonly #directories = new Set<string>();
  readonly texts = new Map<string, string>();
  readonly folders = new Map<string, string[]>([['/sys/module', ['fuse', 'loop']]]);

  readonly deps: FrontendDeps = {
    host: { run: this.#programs(), files: this.#files(), log: silentLogger, clock: jumpingClock() },
    directory: '/fronts',
    mark: 'mark',
    programs: { nbdfuse: '/bin/nbdfuse', nbdClient: '/bin/nbd-client' },
    processes: {
      look: async (id) => {
        const found = this.processes.get(id);
        return found === undefined ? { state: 'gone' } : { state: 'lives', run: found.run, argv: found.argv };
      },
      start: async (process) => this.#start(process),
      end: async (id) => {
        if (this.processes.delete(id)) this.effects.push(`end ${id}`);
      },
    },
  };

  #start(process: WantedProcess): void {
    if (this.processes.get(process.id)?.run === process.run) return;
    this.effects.push(`start ${process.id}`);
    if (this.nbdfuseEndsAtOnce) return;
    this.processes.set(process.id, process);
    if (this.engineAnswers) this.mountExport(process);
  }

  mountExport({ argv }: WantedProcess): void {
    const file = argv[3] ?? '';
    const mountPoint = file.slice(0, file.lastIndexOf('/'));
    this.mounts.push({ device: `0:${this.#device++}`, mountPoint, fileSystem: 'fuse.nbdfuse', root: '/' });
  }

  /** Its processes and mounts disappear at once; the directory on the node and the devices of the kernel remain. */
  endPod(): void {
    this.processes.clear();
    this.mounts.length = 0;
  }

  #programs(): RunCommand {
    return async (command, args) => {
      if (command === 'losetup') return { stdout: this.#losetup([...args]), exitCode: 0 };
      const last = args.at(-1) ?? '';
      if (command === 'umount') this.#umount(last);
      else if (command === 'perl') this.#setLimit(args.at(-2) ?? '', Number(last));
      else if (command === '/bin/nbd-client') {
        this.effects.push(`nbd-client ${args.join(' ')}`);
        for (const [id, { argv }] of this.processes) if (argv.includes(last)) this.processes.delete(id);
      } else throw new Error(`the fake machine has no ${command}`);
      return { stdout: '', exitCode: 0 };
    };
  }

  #losetup(args: string[]): string {
    const last = args.at(-1) ?? '';
    if (args[0] === '--list') return this.#listing();
    if (args[0] === '--detach') {
      this.effects.push(`detach ${last}`);
      const loop = this.loops.find(({ name }) => name === last);
      if (loop !== undefined) loop.autoclear = true;
      return '';
    }
    const mount = this.mounts.find(({ mountPoint }) => last.startsWith(`${mountPoint}/`));
    if (mount === undefined) throw new Error(`${last} is not there`);
    const limit = Number(args.find((one) => one.startsWith('--sizelimit='))?.slice('--sizelimit='.length) ?? 0);
    const name = `/dev/loop${this.#loop++}`;
    this.effects.push(`attach ${name} ${args.slice(0, -1).join(' ')}`);
    this.loops.push({ name, backingDevice: mount.device, backingFile: last, limit, autoclear: false });
    return '';
  }

  #listing(): string {
    if (this.loops.some(({ autoclear }) => autoclear) && this.looksUntilLoopIsGone-- <= 0)
      this.loops.splice(0, this.loops.length, ...this.loops.filter(({ autoclear }) => !autoclear));
    const loopdevices = this.loops.map(({ name, backingDevice, backingFile, limit, autoclear }) => ({
      ...{ name, 'maj:min': `  7:${name.slice('/dev/loop'.length)}  `, sizelimit: limit, ro: false, autoclear },
      ...this.#backing(backingDevice, backingFile),
    }));
    return JSON.stringify({ loopdevices });
  }

  /** As the kernel shows it: the file name inside an unmounted file system, and nothing of a program that has ended. */
  #backing(device: string, file: string) {
    const mount = this.mounts.find((one) => one.device === device);
    const lives = [...this.processes.values()].some(({ argv }) => argv[3] === file);
    return {
      'back-file': mount === undefined ? file.slice(file.lastIndexOf('/')) : file,
      ...(lives ? { 'back-ino': 2, 'back-maj:min': `  ${device} ` } : { 'back-ino': null, 'back-maj:min': null }),
    };
  }

  #umount(path: string): void {
    const at = this.mounts.findLastIndex(({ mountPoint }) => mountPoint === path);
    const busy = this.loops.some(({ backingDevice }) => backingDevice === this.mounts[at]?.device);
    if (at < 0 || busy) throw volumeError('COMMAND_FAILED', `umount failed: ${path}: target is busy.`);
    this.effects.push(`umount ${path}`);
    this.mounts.splice(at, 1);
    // nbdfuse ends with its mount.
    for (const [id, { argv }] of this.processes) if (argv[3]?.startsWith(`${path}/`)) this.processes.delete(id);
  }

  #setLimit(name: string, bytes: number): void {
    const loop = this.loops.find((one) => one.name === name);
    if (loop === undefined) throw new Error(`${name} is not there`);
    this.effects.push(`limit ${name} ${bytes}`);
    loop.limit = bytes;
  }

  #files(): Files {
    const mountInfo = () =>
      this.mounts
        .map(({ device, mountPoint, fileSystem, root }) => {
          const rest = `${root} ${mountPoint} rw - ${fileSystem} source rw`;
          return `30 1 ${device} ${rest}\n`;
        })
        .join('');
    const known: Partial<Files> = {
      readText: async (path) => (path === '/proc/self/mountinfo' ? mountInfo() : this.texts.get(path)),
      list: async (directory) => this.folders.get(directory) ?? [],
      facts: async (path) => {
        const served = this.mounts.some(({ mountPoint }) => path.startsWith(`${mountPoint}/`));
        return served ? { sizeBytes: this.exportBytes, allocatedBytes: 0, inode: 2, modifiedMs: 0 } : undefined;
      },
      makeDirectory: async (path) => void this.#directories.add(path),
      removeMountPoint: async (path) => {
        if (this.mounts.some(({ mountPoint }) => mountPoint === path)) throw new Error(`${path} is busy`);
        this.#directories.delete(path);
      },
    };
    return known as Files;
  }

  get directories(): readonly string[] {
    return [...this.#directories];
  }
}
