import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The machine's package sources for its own Debian release, in the two formats that apt knows. */
export interface AptSources {
  /** Lines of the one-line format. */
  lines: string;
  /** Stanzas of the deb822 format. */
  stanzas: string;
}

/**
 * The sources under `etcApt` for the release `codename` or one of its pockets (-updates, -security). Sources of other vendors are left out:
 * an image must not depend on what else a machine has, and their keys are not in the image.
 */
export async function readAptSources(codename: string, etcApt = '/etc/apt'): Promise<AptSources> {
  const dir = join(etcApt, 'sources.list.d');
  const names = (await readdir(dir).catch(() => [])).sort();
  const [lists, deb822] = await Promise.all([
    readAll([join(etcApt, 'sources.list'), ...names.filter((it) => it.endsWith('.list')).map((it) => join(dir, it))]),
    readAll(names.filter((it) => it.endsWith('.sources')).map((it) => join(dir, it))),
  ]);
  return {
    lines: lists
      .flatMap((text) => text.split('\n'))
      .filter((line) => isForRelease(suiteOfLine(line), codename))
      .join('\n'),
    stanzas: deb822
      .flatMap((text) => text.split(/\n\s*\n/))
      .filter((stanza) => suitesOfStanza(stanza).some((suite) => isForRelease(suite, codename)))
      .map((stanza) => stanza.trim())
      .join('\n\n'),
  };
}

/**
 * Writes sources into `dir` for apt or mmdebstrap: a file per format, or none, which means the distribution's default mirror. Returns their
 * paths.
 */
export async function writeAptSources(dir: string, { lines, stanzas }: AptSources): Promise<string[]> {
  const files: string[] = [];
  for (const [name, text] of Object.entries({ 'debian.list': lines, 'debian.sources': stanzas })) {
    if (text === '') continue;
    files.push(join(dir, name));
    await writeFile(join(dir, name), `${text}\n`);
  }
  return files;
}

const isForRelease = (suite: string | undefined, codename: string): boolean =>
  suite === codename || suite?.startsWith(`${codename}-`) === true;

/** `deb [options] URI suite components…` */
function suiteOfLine(line: string): string | undefined {
  return /^deb\s+(?:\[[^\]]*\]\s+)?\S+\s+(\S+)/.exec(line.trim())?.[1];
}

function suitesOfStanza(stanza: string): string[] {
  const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'im').exec(stanza)?.[1]?.trim();
  if (field('Enabled')?.toLowerCase() === 'no') return [];
  return field('Types')?.split(/\s+/).includes('deb') ? (field('Suites')?.split(/\s+/) ?? []) : [];
}

/** The existing files, in order. */
async function readAll(paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => '')));
}
