import { dirname, join } from 'node:path/posix';

/** The places of one page that can be referred to. */
export interface Places {
  /** Headings, first cells of table rows, and bold text. */
  names: ReadonlySet<string>;
  /** Numbers at the start of headings: `9`, `17.3`, `1D.1`. */
  numbers: ReadonlySet<string>;
  /** Anchors of headings, as GitHub generates them. */
  anchors: ReadonlySet<string>;
}

/** Folders that are searched for a page that is referred to without a folder. */
const foldersOfPages = ['docs/reference', 'docs'];

/** The pages of the repository and their places. Each page is read once, when it is first needed. */
export class Pages {
  readonly #files: ReadonlySet<string>;
  readonly #folders: ReadonlySet<string>;
  readonly #read: (path: string) => string;
  readonly #places = new Map<string, Places>();

  /** @param files paths from the root of the workspace, with "/" */
  constructor(files: Iterable<string>, read: (path: string) => string) {
    this.#files = new Set(files);
    this.#folders = new Set(Array.from(this.#files).flatMap(foldersAbove));
    this.#read = read;
  }

  /** Whether that file or folder exists. `path` is from the root. */
  has(path: string): boolean {
    return this.#files.has(path) || this.#folders.has(path.replace(/\/$/, ''));
  }

  /** Whether docs/adr has a decision with this number. */
  hasDecision(number: string): boolean {
    for (const file of this.#files) if (file.startsWith(`docs/adr/${number}-`)) return true;
    return false;
  }

  /** The path of the page that the file `from` refers to as `name`; undefined when there is none. */
  find(name: string, from: string): string | undefined {
    const folders = [...foldersAbove(from), '', ...foldersOfPages];
    return folders.map((folder) => join(folder, name)).find((path) => this.#files.has(path));
  }

  placesOf(path: string): Places {
    const known = this.#places.get(path);
    if (known !== undefined) return known;
    const found = placesIn(this.#read(path));
    this.#places.set(path, found);
    return found;
  }
}

/** The folder of the file and its parents, without the root. */
function foldersAbove(file: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(file); folder !== '.' && folder !== '/'; folder = dirname(folder)) folders.push(folder);
  return folders;
}

function placesIn(markdown: string): Places {
  const prose = withoutFences(markdown);
  const headings = Array.from(prose.matchAll(/^#{1,6} +(.+?) *$/gm), ([, text = '']) => text);
  const others = Array.from(
    prose.matchAll(/^\| *(.+?) *\||\*\*(.+?)[.:]?\*\*/gm),
    ([, cell, bold]) => cell ?? bold ?? '',
  );
  return {
    names: new Set([...headings, ...others]),
    numbers: new Set(headings.flatMap((text) => /^(\d+[A-Z]?(?:\.\d+)*)(?=\.?(?: |$))/.exec(text)?.[1] ?? [])),
    anchors: new Set(headings.map(anchorOf)),
  };
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\p{Mark}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/** The text with fenced code blanked and line breaks kept. */
export function withoutFences(markdown: string): string {
  return markdown.replace(/^ *(```+|~~~+)[^\n]*\n[\s\S]*?^ *\1 *$/gm, (block) => block.replace(/[^\n]/g, ' '));
}
