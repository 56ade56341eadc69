import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { constantsFor, type Release, releaseConstant } from '@lateen/image';
import { packFolder } from '@lateen/plugin-package';
import { build } from 'esbuild';

/** Of Node.js: older ones cannot read the code. */
const oldestNode = 22;

/**
 * What runs as `lateen`. The code that V8 has compiled is kept in the cache folder of the user, so that each further start takes less time; in a folder that
 * others may write to, they could put code of theirs there.
 */
const launcher = `#!/usr/bin/env node
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

if (Number.parseInt(process.versions.node, 10) < ${oldestNode}) {
  process.stderr.write(\`lateen needs Node.js ${oldestNode} or newer, and this is \${process.versions.node}\\n\`);
  process.exit(1);
}
try {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  nodeModule.enableCompileCache?.(join(cache, 'lateen', 'compile-cache'));
} catch {
  // Without a home folder it starts more slowly.
}
await import('../lib/lateen.mjs');
`;

/** The CommonJS packages in the bundle call these. */
const banner = `import { createRequire as createRequireForBundle } from 'node:module';
const require = createRequireForBundle(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

export interface PackCliOptions {
  root: string;
  /** It is made, and filled with what is in the package. */
  folder: string;
  release: Release;
  commit: string | undefined;
}

/**
 * Makes the package `@lateen/cli` with the commands `lateen` and `kubectl-lateen`: code of its own and no dependencies, in pieces, so that a command loads what it
 * needs. @returns the path of its tarball
 */
export async function packCli({ root, folder, release, commit }: PackCliOptions): Promise<string> {
  await build({
    entryPoints: { lateen: 'apps/cli/src/main.ts' },
    absWorkingDir: root,
    outdir: join(folder, 'lib'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: `node${oldestNode}`,
    banner: { js: banner },
    define: { ...releaseConstant(release), ...(await constantsFor(root, commit ?? '')) },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  const program = join(folder, 'bin', 'lateen.mjs');
  await mkdir(join(folder, 'bin'), { recursive: true });
  await writeFile(program, launcher);
  await chmod(program, 0o755);
  const published = {
    name: '@lateen/cli',
    version: release.version,
    description: 'Backup, restore and volume data movement for Kubernetes: lateen, also kubectl lateen',
    license: 'Apache-2.0',
    type: 'module',
    engines: { node: `>=${oldestNode}` },
    bin: { lateen: './bin/lateen.mjs', 'kubectl-lateen': './bin/lateen.mjs' },
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  await cp(join(root, 'docs', 'command-line.md'), join(folder, 'README.md'));
  return packFolder(root, folder);
}
