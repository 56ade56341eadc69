import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isAppError } from '@lateen/errors';
import { readYamlFiles, writeFiles } from './crd-folder.ts';
import { driftOf } from './drift.ts';
import { type TargetFolder, targetFolders } from './target-folders.ts';

const usage = `Usage: npm run crds [-- --check]

Writes deploy/crds and the chart's copy of it from the interfaces in libs/api-types, deploy/crds-storage from those in libs/storage-types.
  --check   write nothing; exit with 1 and list the differences when a folder is out of date`;

const root = join(import.meta.dirname, '..', '..', '..');

function run(args: string[]): number {
  let options: { check?: boolean | undefined; help?: boolean | undefined };
  try {
    options = parseArgs({ args, options: { check: { type: 'boolean' }, help: { type: 'boolean' } } }).values;
  } catch (error) {
    console.error(`crds: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 1;
  }
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const targets = targetFolders(root);
  const check = options.check === true;
  return targets.map((target) => (check ? isCurrent(target) : write(target))).every(Boolean) ? 0 : 1;
}

function write({ folder, files }: TargetFolder): boolean {
  const touched = writeFiles(join(root, folder), files);
  console.log(`crds: ${files.size} files in ${folder}, ${touched.length} changed`);
  return true;
}

function isCurrent({ folder, files }: TargetFolder): boolean {
  const drift = driftOf(files, readYamlFiles(join(root, folder)));
  for (const line of drift) console.error(`crds: ${line}`);
  if (drift.length > 0) console.error(`crds: ${folder} is out of date; run npm run crds and commit the result`);
  else console.log(`crds: ${files.size} files are up to date in ${folder}`);
  return drift.length === 0;
}

try {
  process.exitCode = run(process.argv.slice(2));
} catch (error) {
  if (!isAppError(error, 'CRD_SOURCE')) throw error;
  console.error(`crds: ${error.message}${error.nextStep === undefined ? '' : `\n${error.nextStep}`}`);
  process.exitCode = 1;
}
