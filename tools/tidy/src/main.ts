import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkFile } from './check-file.ts';

const root = join(import.meta.dirname, '..', '..', '..');
/** Far more than the names of all files of this repository take. */
const listingBytesMax = 64 * 1024 * 1024;

const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '*.ts'], {
  cwd: root,
  maxBuffer: listingBytesMax,
  encoding: 'utf8',
});
const paths = listed
  .split('\0')
  .filter((path) => path !== '' && !/(^|\/)generated\//.test(path) && !path.endsWith('.gen.ts'));
const findings = [...new Set(paths)].flatMap((path) => {
  try {
    return checkFile(path, readFileSync(join(root, path), 'utf8'));
  } catch (error) {
    // Listed by git but deleted in the work tree: nothing to check.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
});
for (const finding of findings) console.error(`tidy: ${finding}`);
if (paths.length === 0) console.error('tidy: git lists no TypeScript files; is this a checkout?');
else if (findings.length === 0) console.log(`tidy: ${paths.length} files keep the house rules`);
process.exitCode = findings.length === 0 && paths.length > 0 ? 0 : 1;
