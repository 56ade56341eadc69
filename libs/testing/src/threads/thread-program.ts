import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** CommonJS modules inside the file use `require` and `__dirname`. */
const banner = `import { createRequire as createRequireForProgram } from 'node:module';
const require = createRequireForProgram(import.meta.url);
const __dirname = import.meta.dirname;`;

/**
 * Builds the program of worker threads as one JavaScript file, as in the image. Node strips types from a source with WebAssembly,
 * again in each thread; V8 has crashed in state that threads share for WebAssembly when such threads start and end
 * (docs/adr/0068). The image's threads load no TypeScript.
 * @param directory where the file is written; it belongs to the caller
 * @throws esbuild's error when it cannot be built
 */
export async function threadProgram(source: URL, directory: string): Promise<URL> {
  // Loaded here and not with the module, because most tests need no program. The synchronous API leaves no process behind.
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
