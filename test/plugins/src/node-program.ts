import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadProgram } from '@lateen/testing';

const typescript = new URL('main.ts', import.meta.url);
const strange = new URL('strange-program.ts', import.meta.url);
const mark = new URL('measure/mark-program.ts', import.meta.url);

/** Puts the TypeScript program into a folder, as an executable. Returns its path. */
export const typescriptProgram = (
  folder: string,
  name = 'velero-plugin-typescript',
  parallelCalls?: number,
): Promise<string> =>
  executable(folder, name, typescript, parallelCalls === undefined ? [] : [`--parallel-calls=${parallelCalls}`]);

/**
 * Puts the program of benchmarks into a folder: one restore action, which marks every item. @param parallelCalls the number that the
 * program declares
 */
export const markProgram = (folder: string, parallelCalls = 1): Promise<string> =>
  executable(folder, 'velero-plugin-mark', mark, [`${parallelCalls}`]);

/**
 * Puts a program into a folder that misbehaves as no SDK does: `--list=[{kind, name}]` is what it offers, `--answer=TEXT` is its answer.
 */
export const strangeProgram = (folder: string, name: string, args: readonly string[]): Promise<string> =>
  executable(folder, name, strange, args);

/** Bundled as one JavaScript file, as in an image: from sources each process would take a second to start. */
async function executable(folder: string, name: string, source: URL, args: readonly string[]): Promise<string> {
  const path = join(folder, name);
  const built = join(folder, '..', 'built');
  await mkdir(built, { recursive: true });
  const program = fileURLToPath(await threadProgram(source, built));
  const quoted = [process.execPath, program, ...args].map((word) => `'${word}'`);
  const lines = [
    '#!/bin/sh',
    // Compiled once for all processes.
    `export NODE_COMPILE_CACHE='${built}/compile-cache'`,
    `exec ${quoted.join(' ')} "$@"`,
  ];
  await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o755 });
  return path;
}
