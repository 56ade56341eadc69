import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { constantsFor, type Release, releaseConstant } from '@lateen/image';
import { packFolder } from '@lateen/plugin-package';
import { build } from 'esbuild';

/** Minimum version of Node.js: older ones cannot parse the code. */
const oldestNode = 22;

/**
 * The script that runs as `lateen`. V8's compiled code is kept in the user's cache folder, so that later starts are faster. Not in a folder
 * that others may write to, because they could put their own code there.
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

/** Functions that the CommonJS packages in the bundle call. */
const banner = `import { createRequire as createRequireForBundle } from 'node:module';
const require = createRequireForBundle(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

export interface PackCliOptions {
  root: string;
  /** The output folder; it is created, and gets the content of the package. */
  folder: string;
  release: Release;
  commit: string | undefined;
}

/**
 * Creates the package `@lateen/cli` with the commands `lateen` and `kubectl-lateen`: bundled code without dependencies, split so that a
 * command loads only what it needs. @returns the path of its tarball
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
