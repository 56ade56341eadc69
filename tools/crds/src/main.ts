import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isAppError } from '@lateen/errors';
import { readYamlFiles, writeFiles } from './crd-folder.ts';
import { driftOf } from './drift.ts';
import { generate } from './generate.ts';

const usage = `Usage: npm run crds [-- --check]

Writes deploy/crds from the interfaces in libs/api-types.
  --check   write nothing; exit with 1 and list the differences when deploy/crds is out of date`;

const root = join(import.meta.dirname, '..', '..', '..');
const folder = join(root, 'deploy', 'crds');

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
  const wanted = generate(root);
  if (!options.check) {
    const touched = writeFiles(folder, wanted);
    console.log(`crds: ${wanted.size} files in deploy/crds, ${touched.length} changed`);
    return 0;
  }
  const drift = driftOf(wanted, readYamlFiles(folder));
  for (const line of drift) console.error(`crds: ${line}`);
  if (drift.length > 0) console.error('crds: deploy/crds is out of date; run npm run crds and commit the result');
  else console.log(`crds: ${wanted.size} files are up to date`);
  return drift.length > 0 ? 1 : 0;
}

try {
  process.exitCode = run(process.argv.slice(2));
} catch (error) {
  if (!isAppError(error, 'CRD_SOURCE')) throw error;
  console.error(`crds: ${error.message}${error.nextStep === undefined ? '' : `\n${error.nextStep}`}`);
  process.exitCode = 1;
}
