import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One package that is in an image. */
export interface Software {
  name: string;
  version: string;
  /** Its package URL. */
  purl: string;
  /** SPDX expression, if the package has one. */
  license?: string;
}

/** The npm packages whose files are in bundles. @param sources paths relative to the workspace `root` */
export async function npmPackages(root: string, sources: readonly string[]): Promise<Software[]> {
  const folders = new Set(sources.map(packageFolder).filter((folder) => folder !== undefined));
  return Promise.all(
    [...folders].sort().map(async (folder): Promise<Software> => {
      const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
      const purl = `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
      return { name, version, purl, ...(typeof license === 'string' ? { license } : {}) };
    }),
  );
}

/** `node_modules/a/node_modules/@b/c` of a file in it; undefined for our own files. */
export function packageFolder(source: string): string | undefined {
  const at = source.lastIndexOf('node_modules/');
  if (at < 0) return undefined;
  const inside = source.slice(at + 'node_modules/'.length);
  const [name] = /^(@[^/]+\/)?[^/]+/.exec(inside) ?? [];
  return name === undefined ? undefined : `${source.slice(0, at)}node_modules/${name}`;
}

/** The installed packages of Debian. @param status text of /var/lib/dpkg/status */
export function debianPackages(status: string): Software[] {
  return status.split(/\n\n+/).flatMap((paragraph) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(paragraph)?.[1] ?? '';
    const [name, version, architecture] = [field('Package'), field('Version'), field('Architecture')];
    if (!field('Status').endsWith(' installed')) return [];
    return [{ name, version, purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}` }];
  });
}

/** The modules in a program. @param text what `go version -m` prints */
export function goModules(text: string): Software[] {
  const lines = text.split('\n').map((line) => line.trim().split('\t'));
  return lines.flatMap(([kind, name = '', version = ''], index) => {
    if (kind !== 'mod' && kind !== 'dep') return [];
    // A replaced module is followed by its replacement.
    const [next, otherName = '', otherVersion = ''] = lines[index + 1] ?? [];
    const found = next === '=>' ? { name: otherName, version: otherVersion } : { name, version };
    return [{ ...found, purl: `pkg:golang/${found.name}@${found.version}` }];
  });
}
