import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Modules of CommonJS inside the file call `require` and `__dirname`. */
const banner = `import { createRequire as createRequireForProgram } from 'node:module';
const require = createRequireForProgram(import.meta.url);
const __dirname = import.meta.dirname;`;

/**
 * The program of worker threads as one file of JavaScript, as the image has it. Node takes the types out of a source with WebAssembly,
 * anew in each thread; others have seen V8 crash in what its threads share of WebAssembly, when threads that do so come and go
 * (docs/adr/0068). The image's threads load no sources.
 * @param directory where the file is written; the caller's
 * @throws esbuild's error when it cannot be built
 */
export async function threadProgram(source: URL, directory: string): Promise<URL> {
  // Not with the module: most tests need none. The synchronous way leaves no process of its own behind.
  const { buildSync } = await import('esbuild');
  const entry = fileURLToPath(source);
  const outfile = join(directory, `${basename(entry, '.ts')}.mjs`);
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    banner: { js: banner },
    logLevel: 'silent',
  });
  return pathToFileURL(outfile);
}
