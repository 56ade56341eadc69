import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ImageApp, imageApps } from './apps.ts';
import { bundle } from './bundle.ts';

/** A program of the image with those of its worker threads, in a directory of this machine. */
export interface ImageProgram {
  /** The interpreter and option of the first line of its file. */
  command: [string, ...string[]];
  /** Variables that the image sets: the compile cache exists before the program starts. */
  environment: Readonly<Record<string, string>>;
}

export function imageApp(name: string): ImageApp {
  const app = imageApps.find((each) => each.name === name);
  if (app === undefined) throw new Error(`the image has no app ${name}`);
  return app;
}

/** @param directory an empty one */
export async function writeImageProgram(name: string, root: string, directory: string): Promise<ImageProgram> {
  const app = imageApp(name);
  const flags = app.nodeFlag === undefined ? [] : [app.nodeFlag];
  const cache = join(directory, 'compile-cache');
  const environment = { NODE_COMPILE_CACHE: cache, NODE_COMPILE_CACHE_PORTABLE: '1' };
  await mkdir(cache);
  for (const worker of [undefined, ...(app.workers ?? [])]) {
    const made = await bundle(app, root, { worker });
    const file = join(directory, `${made.name}.mjs`);
    await writeFile(file, made.contents);
    await promisify(execFile)(process.execPath, [...flags, file, '--help'], { env: environment });
  }
  return { command: [process.execPath, ...flags, join(directory, `${name}.mjs`)], environment };
}
