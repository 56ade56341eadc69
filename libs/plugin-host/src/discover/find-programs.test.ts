import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPrograms } from './find-programs.ts';
import { wrongFormat } from './program-format.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plugin-files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The beginning of an ELF file for a machine. */
function elf(machine: number): Buffer {
  const head = Buffer.alloc(64);
  head.write('\x7fELF\x02\x01', 'latin1');
  head.writeUInt16LE(machine, 18);
  return head;
}
const machineHere = process.arch === 'arm64' ? 183 : 62;
const executable = { mode: 0o755 };

describe('findPrograms', () => {
  it('finds programs and scripts, also in folders and behind links, by path', async () => {
    await mkdir(join(folder, 'more'));
    await writeFile(join(folder, 'more/b'), elf(machineHere), executable);
    await writeFile(join(folder, 'z'), '#!/bin/sh\n', executable);
    await symlink(join(folder, 'z'), join(folder, 'a'));
    const { programs, problems } = await findPrograms(folder);
    expect(programs).toEqual([
      { path: join(folder, 'a'), name: 'a' },
      { path: join(folder, 'more/b'), name: 'b' },
      { path: join(folder, 'z'), name: 'z' },
    ]);
    expect(problems).toEqual([]);
  });

  it('finds nothing in a missing folder', async () => {
    expect(await findPrograms(join(folder, 'none'))).toEqual({ programs: [], problems: [] });
  });

  it('reports why a file cannot be executed, and finds the others', async () => {
    await writeFile(join(folder, 'data'), elf(machineHere));
    await chmod(join(folder, 'data'), 0o644);
    await writeFile(join(folder, 'empty'), '', executable);
    await writeFile(join(folder, 'other'), elf(machineHere === 62 ? 183 : 62), executable);
    await writeFile(join(folder, 'plain'), 'echo hello\n', executable);
    await symlink(join(folder, 'gone'), join(folder, 'link'));
    await writeFile(join(folder, 'works'), elf(machineHere), executable);
    const { programs, problems } = await findPrograms(folder);
    expect(programs.map(({ name }) => name)).toEqual(['works']);
    const other = machineHere === 62 ? 'arm64' : 'x64';
    expect(problems.map(({ program, message }) => [program.slice(folder.length + 1), message])).toEqual([
      ['data', 'it is not executable (no x in its mode); the image that puts it there has to set it: chmod 755'],
      ['empty', 'it is empty'],
      ['link', expect.stringContaining('ENOENT')],
      ['other', `it is built for ${other}, and this machine is ${process.arch}; use an image for ${process.arch}`],
      ['plain', 'it is neither a program of Linux nor a script with "#!" in its first line'],
    ]);
  });
});

describe('wrongFormat', () => {
  it.each([
    [elf(62), 'x64', undefined],
    [elf(183), 'arm64', undefined],
    [elf(999), 'x64', 'it is built for machine 999, and this machine is x64; use an image for x64'],
    [Buffer.from('MZ\x90'), 'x64', 'it is a program for Windows'],
    [Buffer.from('\x7fELF'), 'x64', 'it is neither a program of Linux nor a script with "#!" in its first line'],
  ])('case %#', (head, arch, wrong) => expect(wrongFormat(head, arch)).toBe(wrong));
});
