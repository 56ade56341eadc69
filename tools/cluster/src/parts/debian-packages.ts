import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, isAppError } from '@lateen/errors';
import {
  type AptSources,
  backportsFiles,
  backportsOf,
  backportsPreferences,
  debianCodename,
  readAptSources,
  writeAptSources,
} from '@lateen/image';
import { run } from '../host/run.ts';

/** A quarter of an hour: a slow mirror may take minutes, and a dead one never answers. */
const timeoutMs = 15 * 60_000;

/** Packages that Debian itself needs, and not a program's library path; libc belongs to the machine's own loader. */
const isLibrary = (name: string): boolean =>
  /^(lib|zlib1g$)/.test(name) && !/^lib(c6|c-bin|python.*|perl.*|pam.*)$/.test(name);

export interface WantedPackages {
  packages: readonly string[];
  /** Packages that come from the release's backports when the mirror has them: names or patterns. */
  backports?: readonly string[];
}

/**
 * Downloads `packages` of the machine's own Debian release with every library that they need, whatever is installed here, and unpacks them
 * into `root`. apt checks signatures and checksums; its state is kept separately, so that it needs no root and does not change the machine.
 * @throws IMAGE_NOT_DEBIAN, PACKAGES_UNAVAILABLE
 */
export async function unpackPackages(
  { packages, backports = [] }: WantedPackages,
  root: string,
  { note, signal }: { note: (text: string) => void; signal?: AbortSignal | undefined },
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'lateen-debs-'));
  try {
    const codename = await debianCodename();
    const sources = await readAptSources(codename);
    const apt = await separateApt(dir, sources, signal);
    await apt('apt-get', ['update', '-qq']);
    if (backports.length > 0 && !(await addBackports(apt, dir, sources, { codename, backports }))) {
      signal?.throwIfAborted();
      note(`this mirror has no backports of ${codename}: using ${backports.join(', ')} of ${codename} itself`);
    }
    const closure = packagesOf(
      await apt('apt-get', ['install', '-y', '-qq', '--no-install-recommends', '--print-uris', ...packages]),
    );
    const wanted = closure.filter(({ name }) => packages.includes(name) || isLibrary(name));
    const debs = join(dir, 'debs');
    await mkdir(debs);
    await apt('apt-get', ['download', '-qq', ...wanted.map(({ name, version }) => `${name}=${version}`)], debs);
    for (const deb of await readdir(debs)) await apt('dpkg-deb', ['-x', join(debs, deb), root]);
  } catch (cause) {
    signal?.throwIfAborted();
    if (isAppError(cause, 'IMAGE_NOT_DEBIAN')) throw cause;
    throw new AppError('PACKAGES_UNAVAILABLE', `these packages could not be unpacked: ${packages.join(', ')}`, {
      cause,
      retry: 'later',
      nextStep: 'Check that apt-get update works on this machine, and that there is room in the temporary directory.',
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

type SeparateApt = (program: string, args: readonly string[], cwd?: string) => Promise<string>;

/**
 * Adds `backports` to the package lists that were already updated. False when the mirror has none, or does not serve their lists: apt then
 * continues with the other lists.
 */
export async function addBackports(
  apt: SeparateApt,
  dir: string,
  sources: AptSources,
  { codename, backports }: { codename: string; backports: readonly string[] },
): Promise<boolean> {
  const { lines, stanzas } = backportsOf(sources, codename);
  const files = Object.entries({ [backportsFiles.line]: lines, [backportsFiles.stanza]: stanzas })
    .filter(([, text]) => text !== '')
    .map(([name, text]) => ({ path: join(dir, 'sources', name), text: `${text}\n` }));
  if (files.length === 0) return false;
  await Promise.all(files.map(({ path, text }) => writeFile(path, text)));
  try {
    await apt('apt-get', ['update', '-qq', '--error-on=any']);
  } catch {
    await Promise.all(files.map(({ path }) => rm(path)));
    return false;
  }
  await writeFile(join(dir, 'preferences', backportsFiles.pin), backportsPreferences(backports, codename));
  return true;
}

/** Runs apt and dpkg with separate lists, cache and sources below `dir`, and as if nothing were installed. */
async function separateApt(dir: string, sources: AptSources, signal: AbortSignal | undefined): Promise<SeparateApt> {
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'sources', 'preferences'])
    await mkdir(join(dir, folder), { recursive: true });
  await writeFile(join(dir, 'status'), '');
  await writeAptSources(join(dir, 'sources'), sources);
  const settings = {
    'Dir::State': join(dir, 'state'),
    'Dir::State::status': join(dir, 'status'),
    'Dir::Cache': join(dir, 'cache'),
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': join(dir, 'sources'),
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': join(dir, 'preferences'),
    'Acquire::Languages': 'none',
    'APT::Sandbox::User': '',
  };
  const text = Object.entries(settings).map(([key, value]) => `${key} "${value}";\n`);
  const config = join(dir, 'apt.conf');
  await writeFile(config, text.join(''));
  return async (program, args, cwd = dir) =>
    (await run(program, args, { cwd, env: { APT_CONFIG: config }, timeoutMs, signal })).stdout;
}

/** `'http://…' libnbd0_1.14.2-1_amd64.deb 12345 SHA256:…` of each package; a colon of an epoch is written `%3a`. */
export function packagesOf(uris: string): { name: string; version: string }[] {
  return uris.split('\n').flatMap((line) => {
    const [, name, version] = /^'\S+' ([^\s_]+)_([^\s_]+)_\S+\.deb \d+/.exec(line) ?? [];
    return name === undefined || version === undefined ? [] : [{ name, version: decodeURIComponent(version) }];
  });
}
