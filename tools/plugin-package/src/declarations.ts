import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { AppError } from '@lateen/errors';
import { execa } from 'execa';
import { isOurs, type Manifest } from './workspace-packages.ts';

const declarationOf = (source: string): string => source.replace(/\.ts$/, '.d.ts');

/**
 * Writes the declarations of the entries into `target`, with those of every file that they import. All imports are relative, except those
 * of packages from registries.
 * @param entries source files, relative to `root`
 * @param libraries libraries of the workspace, by name
 * @throws DECLARATIONS_FAILED when one cannot be generated or found
 */
export async function writeDeclarations(
  root: string,
  entries: readonly string[],
  libraries: ReadonlyMap<string, Manifest>,
  target: string,
): Promise<void> {
  await mkdir(join(root, 'node_modules', '.cache'), { recursive: true });
  const work = await mkdtemp(join(root, 'node_modules', '.cache', 'declarations-'));
  try {
    await emit(root, [...libraries.keys()].map(folderOf), work);
    const waiting = entries.map(declarationOf);
    const done = new Set<string>();
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (done.has(file)) continue;
      done.add(file);
      const text = await read(work, file);
      const { rewritten, reached } = await rewrite(text, file, { work, libraries });
      waiting.push(...reached);
      await mkdir(dirname(join(target, file)), { recursive: true });
      await writeFile(join(target, file), rewritten);
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const folderOf = (name: string): string => `libs/${name.slice('@lateen/'.length)}`;

/** The compiler also reports inferred types of other files that cannot be named; if a file is missing then, `read` throws. */
async function emit(root: string, folders: readonly string[], work: string): Promise<void> {
  const config = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: work, rootDir: root },
    include: folders.map((folder) => join(root, folder, 'src')),
    exclude: ['**/*.test.ts'],
  };
  const file = join(work, 'tsconfig.json');
  await writeFile(file, JSON.stringify(config));
  await execa('tsc', ['-p', file], { preferLocal: true, localDir: root, reject: false });
}

async function read(work: string, file: string): Promise<string> {
  return readFile(join(work, file), 'utf8').catch((cause: unknown) => {
    throw new AppError('DECLARATIONS_FAILED', `the declaration file ${file} does not exist`, { cause });
  });
}

interface Places {
  work: string;
  libraries: ReadonlyMap<string, Manifest>;
}

const statement = /^(import|export)( type)? (\{[^}]*\}|\* as \w+|\*) from ['"]([^'"]+)['"];$/gms;

/** One file with relative imports, and the files that it imports. */
async function rewrite(text: string, file: string, places: Places) {
  const reached: string[] = [];
  let rewritten = '';
  let at = 0;
  for (const found of text.matchAll(statement)) {
    const [whole, word = '', type = '', what = '', from = ''] = found;
    rewritten += text.slice(at, found.index);
    at = found.index + whole.length;
    const lines = from.startsWith('.')
      ? [{ what, path: declarationOf(posix.join(dirname(file), from)) }]
      : isOurs(from)
        ? await throughIndex(what, from, places)
        : undefined;
    if (lines === undefined) {
      rewritten += whole;
      continue;
    }
    reached.push(...lines.map(({ path }) => path));
    rewritten += lines.map((line) => `${word}${type} ${line.what} from '${relative(file, line.path)}';`).join('\n');
  }
  rewritten += text.slice(at);
  // How the compiler writes a type that the file itself does not import.
  for (const [whole, from = '', name = ''] of rewritten.matchAll(/import\("(@lateen\/[^"]+)"\)\.(\w+)/g)) {
    const [line] = await throughIndex(name, from, places);
    if (line === undefined) continue;
    reached.push(line.path);
    rewritten = rewritten.replaceAll(`${whole}`, `import("${relative(file, line.path)}").${name}`);
  }
  if (/['"]@lateen\//.test(rewritten)) {
    throw new AppError('DECLARATIONS_FAILED', `${file} still imports a package of the workspace`);
  }
  return { rewritten, reached };
}

function relative(from: string, to: string): string {
  const path = posix.relative(dirname(from), to.replace(/\.d\.ts$/, '.js'));
  return path.startsWith('.') ? path : `./${path}`;
}

interface NamedImport {
  what: string;
  path: string;
}

/** Names of a package with the files that its index exports them from, so that only necessary files are included. */
async function throughIndex(what: string, from: string, places: Places): Promise<NamedImport[]> {
  const [scope = '', library = '', ...subpath] = from.split('/');
  const name = `${scope}/${library}`;
  const index = places.libraries.get(name)?.exports[subpath.length === 0 ? '.' : `./${subpath.join('/')}`];
  if (index === undefined) throw new AppError('DECLARATIONS_FAILED', `the package ${from} is not in this workspace`);
  const path = posix.join(folderOf(name), index);
  const exported = await exportsOf(path, places);
  const lines = namesIn(what).map(async (one): Promise<NamedImport[]> => {
    const line = exported.get(one.name);
    // Names that the index does not export from another file are declared in it.
    if (line === undefined) return [{ what: `{ ${one.text} }`, path: declarationOf(path) }];
    if (isOurs(line.source)) return throughIndex(`{ ${one.text} }`, line.source, places);
    return [{ what: line.namespace ?? `{ ${one.text} }`, path: declarationOf(posix.join(dirname(path), line.source)) }];
  });
  return (await Promise.all(lines)).flat();
}

/** The exports of an index, by exported name, with their source; `namespace` for `* as name`. */
async function exportsOf(path: string, { work }: Places) {
  const exported = new Map<string, { source: string; namespace?: string }>();
  for (const [, , , list = '', source = ''] of (await read(work, declarationOf(path))).matchAll(statement)) {
    if (list.startsWith('* as ')) exported.set(list.slice('* as '.length), { source, namespace: list });
    else for (const one of namesIn(list)) exported.set(one.as, { source });
  }
  return exported;
}

/** `{ type A, b as c }`. */
function namesIn(list: string): { text: string; name: string; as: string }[] {
  return list
    .replace(/[{}]/g, '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => {
      const [name = '', as = name] = text.replace(/^type /, '').split(' as ');
      return { text, name, as };
    });
}
