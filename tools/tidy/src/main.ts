import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCitations } from './check-citations.ts';
import { checkFile } from './check-file.ts';
import { citing, mayCiteAnything } from './house-rules.ts';
import { Pages } from './pages.ts';

const root = join(import.meta.dirname, '..', '..', '..');
/** Much more than the names of all files of this repository need. */
const listingBytesMax = 64 * 1024 * 1024;

const list = (...which: string[]): string[] =>
  execFileSync('git', ['ls-files', '-z', ...which], { cwd: root, maxBuffer: listingBytesMax, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

// Listed by git but deleted in the work tree: nothing to check.
const deleted = new Set(list('--deleted'));
const all = new Set(list('--cached', '--others', '--exclude-standard').filter((path) => !deleted.has(path)));
const paths = Array.from(all).filter((path) => !/(^|\/)generated\//.test(path) && !path.endsWith('.gen.ts'));
const sources = paths.filter((path) => path.endsWith('.ts'));
const cites = paths.filter((path) => citing.test(path) && !mayCiteAnything.test(path));

const texts = new Map([...sources, ...cites].map((path) => [path, '']));
for (const path of texts.keys()) texts.set(path, read(path));
const pages = new Pages(all, (path) => texts.get(path) ?? read(path));
const findings = [
  ...sources.flatMap((path) => checkFile(path, texts.get(path) ?? '')),
  ...cites.flatMap((path) => checkCitations(path, texts.get(path) ?? '', pages)),
];
for (const finding of findings) console.error(`tidy: ${finding}`);
if (sources.length === 0) console.error('tidy: git lists no TypeScript files; is this a checkout?');
else if (findings.length === 0)
  console.log(
    `tidy: ${sources.length} files keep the house rules, and everything that ${cites.length} files cite exists`,
  );
process.exitCode = findings.length === 0 && sources.length > 0 ? 0 : 1;
