// Makes one file of the program, dist/{{name}}.mjs, with all that it imports. The kernel starts it by its first line.
import { chmod } from 'node:fs/promises';
import { build } from 'esbuild';

const outfile = 'dist/{{name}}.mjs';
await build({
  entryPoints: ['src/index.ts'],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // Packages that are CommonJS call require.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
  },
});
await chmod(outfile, 0o755);
