import type { Random } from '@lateen/kernel';

export interface TreeScriptOptions {
  random: Random;
  /** Number of entries to create; further names of existing ones count, too. */
  entries: number;
  /** Root may create devices, other owners, capabilities and trusted attributes. */
  isRoot: boolean;
}

/** One character per byte. */
type ByteText = string;

/** Parts of names that programs often mishandle: separators of Lateen's formats, invalid UTF-8, options, escapes. */
const pieces: readonly ByteText[] = [
  'a',
  'B7',
  ' ',
  '\n',
  '\\',
  '\\012',
  '\xff',
  '\xc3\xa9',
  '=',
  '"',
  "'",
  '-',
  '#',
  '.',
  ',v',
  '\t',
  '\x01',
  '.zip',
  '%',
];
const values = ['', '00', '0a', '3d0a', 'ff00fe', '22225c', '61'.repeat(40)];

/**
 * A bash script that creates a tree of files, folders, links, special files and attributes in its working directory, with unusual
 * names and old, new and very exact times. The same random numbers give the same script.
 */
export function treeScript({ random, entries, isRoot }: TreeScriptOptions): string {
  const maker = new TreeMaker(random, isRoot);
  for (let entry = 0; entry < entries; entry++) maker.add();
  return `set -euo pipefail\n${[...maker.lines, ...maker.timeLines()].join('\n')}\n`;
}

class TreeMaker {
  readonly lines: string[] = [];
  readonly #random: Random;
  readonly #isRoot: boolean;
  readonly #folders: ByteText[] = ['.'];
  readonly #files: ByteText[] = [];
  /** Entries that may have more names, and get their own time. */
  readonly #others: ByteText[] = [];
  #names = 0;

  constructor(random: Random, isRoot: boolean) {
    this.#random = random;
    this.#isRoot = isRoot;
  }

  add(): void {
    const makers = [
      () => this.#file(),
      () => this.#file(),
      () => this.#folder(),
      () => this.#symlink(),
      () => this.#link(),
      () => this.#link(),
      () => this.#other('mkfifo'),
      () => this.#attribute(),
      () => this.#attribute(),
      () => this.#acl(),
      () => this.#mode(),
      () => (this.#isRoot ? this.#device() : this.#folder()),
      () => (this.#isRoot ? this.#trusted() : this.#file()),
      () => (this.#isRoot ? this.#capability() : this.#file()),
    ];
    this.#pick(makers)();
  }

  /** Last, because earlier commands change the times of folders. The deepest folders come first. */
  timeLines(): string[] {
    const times = [
      '0.000000001',
      '1700000000.123456789',
      '-1.5',
      '946684799.999999999',
      '4102444800.000000001',
      '1.000001',
    ];
    const folders = [...this.#folders].reverse();
    return [...this.#files, ...this.#others, ...folders].map(
      (path) => `touch -h -d @${this.#pick(times)} -- ${quoted(path)}`,
    );
  }

  #file(): void {
    const path = this.#newPath();
    this.lines.push(`printf '%s' ${quoted(this.#name())} > ${quoted(path)}`);
    if (this.#isRoot && this.#chance()) this.lines.push(`chown ${this.#id()}:${this.#id()} ${quoted(path)}`);
    this.#files.push(path);
  }

  #folder(): void {
    const path = this.#newPath();
    this.lines.push(`mkdir ${quoted(path)}`);
    if (this.#isRoot && this.#chance()) this.lines.push(`chown ${this.#id()}:${this.#id()} ${quoted(path)}`);
    this.#folders.push(path);
  }

  #symlink(): void {
    const path = this.#newPath();
    const target = this.#pick(['/nowhere', '../../up', this.#name(), `./${this.#name()}/${this.#name()}`, '/', 'a//b']);
    this.lines.push(`ln -s -- ${quoted(target)} ${quoted(path)}`);
    if (this.#isRoot && this.#chance()) this.lines.push(`chown -h ${this.#id()}:${this.#id()} ${quoted(path)}`);
    this.#others.push(path);
  }

  /** Another name for an entry that is not a folder. */
  #link(): void {
    const known = this.#chance() ? this.#files : [...this.#files, ...this.#others];
    if (known.length === 0) this.#file();
    else this.lines.push(`ln -P -- ${quoted(this.#pick(known))} ${quoted(this.#newPath())}`);
  }

  #other(command: string, more = ''): void {
    const path = this.#newPath();
    this.lines.push(`${command} -m 0${this.#pick(['600', '644', '777'])} ${quoted(path)}${more}`);
    this.#others.push(path);
  }

  #device(): void {
    this.#other('mknod', ` ${this.#pick(['c', 'b'])} ${this.#number(4096)} ${this.#number(1 << 20)}`);
  }

  #attribute(): void {
    const path = this.#pick([...this.#files, ...this.#folders]);
    this.lines.push(`setfattr -n ${quoted(`user.${this.#name()}`)} -v 0x${this.#pick(values)} ${quoted(path)}`);
  }

  #trusted(): void {
    const path = this.#pick([...this.#files, ...this.#folders, ...this.#others]);
    this.lines.push(`setfattr -h -n trusted.${this.#number(5)} -v 0x${this.#pick(values)} ${quoted(path)}`);
  }

  #capability(): void {
    if (this.#files.length > 0) this.lines.push(`setcap cap_net_bind_service+ep ${quoted(this.#pick(this.#files))}`);
  }

  #acl(): void {
    const isFolder = this.#chance();
    const path = this.#pick(isFolder || this.#files.length === 0 ? this.#folders : this.#files);
    const isDefault = this.#folders.includes(path) && this.#chance();
    const entry = this.#pick([`u:${this.#id()}:rwx`, `g:${this.#id()}:r--`, 'm::r-x']);
    this.lines.push(`setfacl ${isDefault ? '-d ' : ''}-m ${entry} -- ${quoted(path)}`);
  }

  /** Never for the root: a tree that its owner cannot enter cannot be compared. */
  #mode(): void {
    if (this.#files.length === 0) return;
    const modes = this.#isRoot ? ['4755', '2750', '1644', '000', '7777'] : ['600', '755', '440'];
    this.lines.push(`chmod ${this.#pick(modes)} -- ${quoted(this.#pick(this.#files))}`);
  }

  /** A number makes the name unique; the folder may be anywhere in the tree. */
  #newPath(): ByteText {
    return `${this.#pick(this.#folders)}/${this.#name()}${this.#names++}`;
  }

  #name(): ByteText {
    return Array.from({ length: 1 + this.#number(4) }, () => this.#pick(pieces)).join('');
  }

  #id(): number {
    return this.#pick([1, 1000, 65534, 2_097_152, 4_000_000_000]);
  }

  #chance(): boolean {
    return this.#random.next() < 0.5;
  }

  #number(below: number): number {
    return Math.floor(this.#random.next() * below);
  }

  #pick<T>(from: readonly T[]): T {
    const picked = from[this.#number(from.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }
}

/** Bytes in bash syntax. */
const quoted = (bytes: ByteText): string =>
  `$'${[...bytes].map((byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`).join('')}'`;
