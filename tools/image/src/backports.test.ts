import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backportsHook, backportsOf, backportsPreferences } from './backports.ts';

const lines = `deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm main contrib
deb http://mirror.example/debian bookworm-updates main
deb http://mirror.example/security bookworm-security main`;
const stanzas = `Types: deb
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main non-free-firmware
Signed-By: /k.gpg

Types: deb
URIs: http://mirror.example/security
Suites: bookworm-security
Components: main
Signed-By: /k.gpg`;

describe('backportsOf', () => {
  it('uses the mirror of the release, with its key, and not those of its pockets', () => {
    expect(backportsOf({ lines, stanzas }, 'bookworm')).toEqual({
      lines: 'deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm-backports main',
      stanzas: `Types: deb
URIs: http://mirror.example/debian
Suites: bookworm-backports
Components: main
Signed-By: /k.gpg`,
    });
  });

  it('is empty when no source names the release', () => {
    expect(backportsOf({ lines: '', stanzas: '' }, 'bookworm')).toEqual({ lines: '', stanzas: '' });
    expect(backportsOf({ lines, stanzas }, 'trixie')).toEqual({ lines: '', stanzas: '' });
  });
});

describe('backportsHook', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'lateen-root-'));
    // Replaces apt-get: records its arguments, and returns the answer of the test.
    await mkdir(join(root, 'bin'));
    await writeFile(
      join(root, 'bin/apt-get'),
      `#!/bin/sh\necho "$APT_CONFIG $*" > ${root}/asked\ncat ${root}/etc/apt/backports.d/backports.* > ${root}/sources\ntest ! -e ${root}/none\n`,
      { mode: 0o755 },
    );
  });
  afterEach(() => rm(root, { recursive: true }));

  const run = () =>
    execa('sh', ['-c', backportsHook({ lines, stanzas }, ['qemu-*'], 'bookworm'), 'hook', root], {
      env: { PATH: `${join(root, 'bin')}:${process.env.PATH}`, MMDEBSTRAP_APT_CONFIG: '/apt.conf' },
    });
  const files = (path: string) => readdir(join(root, 'etc/apt', path));

  it('gives apt the backports and preferences for them, after the mirror has served their lists', async () => {
    const { stderr } = await run();
    expect(stderr).toBe('');
    expect(await readFile(join(root, 'asked'), 'utf8')).toBe(
      '/apt.conf update -qq --error-on=any -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=backports.d' +
        ` -o Dir::State::lists=${root}/etc/apt/backports.d/lists\n`,
    );
    expect(await files('.')).toEqual(['preferences.d', 'sources.list.d']);
    expect(await files('sources.list.d')).toEqual(['backports.list', 'backports.sources']);
    expect(await readFile(join(root, 'etc/apt/sources.list.d/backports.sources'), 'utf8')).toBe(
      await readFile(join(root, 'sources'), 'utf8').then((text) => text.slice(text.indexOf('Types:'))),
    );
    expect(await readFile(join(root, 'etc/apt/preferences.d/backports.pref'), 'utf8')).toBe(
      backportsPreferences(['qemu-*'], 'bookworm'),
    );
  });

  it('continues without backports, with a message, when the mirror has none', async () => {
    await writeFile(join(root, 'none'), '');
    const { stderr } = await run();
    expect(stderr).toBe('no backports of bookworm on this mirror: its own packages are taken');
    expect([await files('.'), await files('sources.list.d'), await files('preferences.d')]).toEqual([
      ['preferences.d', 'sources.list.d'],
      [],
      [],
    ]);
  });
});
