import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeError } from '@lateen/errors';
import { createPlugin } from './create-plugin.ts';

/** The SDK has the same version as this program. */
const { version } = JSON.parse(await readFile(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
  version: string;
};

const usage = `Makes the folder of a new plugin for Lateen and Velero.

  npm create lateen-plugin@latest NAME -- --domain DOMAIN

  NAME              of the folder, the package and the program: webapp-plugin
  --domain DOMAIN   of the names of its actions, a DNS name of yours (default example.io)
  --sdk VERSION     of @lateen/plugin, as package.json has it (default ^${version})
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      domain: { type: 'string', default: 'example.io' },
      sdk: { type: 'string', default: `^${version}` },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [name, ...more] = positionals;
  if (values.help || name === undefined || more.length > 0) {
    (values.help ? process.stdout : process.stderr).write(usage);
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  const { domain, sdk } = values;
  const template = join(import.meta.dirname, '..', 'template');
  const folder = await createPlugin({ parent: process.cwd(), name, domain, sdk, template });
  process.stdout.write(`Made ${folder}. Go on with:\n  cd ${name} && npm install && npm test\n`);
}

await main().catch((error: unknown) => {
  process.stderr.write(`create-lateen-plugin: ${describeError(error)}\n`);
  process.exitCode = 1;
});
