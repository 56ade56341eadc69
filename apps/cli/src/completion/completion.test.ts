import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';
import { completionScript, type Shell } from './shell-scripts.ts';

const main = join(import.meta.dirname, '..', 'main.ts');
const contexts = ['admin@kind:1', 'arn:aws:eks:eu:1:cluster/x y'];
/** The test starts the real program, possibly on a busy machine. */
const startMsMax = 60_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lateen-completion-'));
  writeFileSync(join(folder, 'lateen'), `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`);
  chmodSync(join(folder, 'lateen'), 0o755);
  writeFileSync(join(folder, 'config'), JSON.stringify({ contexts: contexts.map((name) => ({ name, context: {} })) }));
  writeFileSync(join(folder, 'ca file.pem'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

const environment = () => ({ HOME: folder, KUBECONFIG: join(folder, 'config'), PATH: `${folder}:${process.env.PATH}` });
const run = (shell: string, script: string): string =>
  execFileSync(shell, ['-c', script], { cwd: folder, env: environment(), encoding: 'utf8', timeout: startMsMax });
const has = (shell: Shell): boolean => spawnSync(shell, ['--version']).error === undefined;
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** What bash inserts in place of the last of these pieces, into which readline has split the line up to the cursor. */
function replies(line: string, pieces: string[], program = ''): string[] {
  const script = `${completionScript('bash')}${program}
COMP_LINE=${quoted(line)} COMP_POINT=${line.length} COMP_WORDS=(${pieces.map(quoted).join(' ')}) COMP_CWORD=${pieces.length - 1}
_lateen; printf '%s\\n' "$\{COMPREPLY[@]}"`;
  return run('bash', script).trimEnd().split('\n');
}

describe('completion in bash', () => {
  it(
    'asks the program, for words that bash splits and that contain special characters of the shell',
    () => {
      const line = 'lateen --context=arn:aws:e';
      expect(replies(line, ['lateen', '--context', '=', 'arn', ':', 'aws', ':', 'e'])).toEqual([
        'eks:eu:1:cluster/x\\ y',
      ]);
    },
    startMsMax,
  );

  it.each<[string, string[], string, string]>([
    ['lateen --context adm', ['lateen', '--context', 'adm'], 'admin@kind:1', 'admin@kind:1'],
    ['lateen --context admin@k', ['lateen', '--context', 'admin', '@k'], 'admin@kind:1', '@kind:1'],
    [`lateen --context 'a`, ['lateen', '--context', `'a`], 'a b', 'a b'],
    ['lateen -o=', ['lateen', '-o', '='], '-o=json', 'json'],
    // A name that is a command for the shell stays a name, and is not run.
    ['lateen --context \\$', ['lateen', '--context', '\\$'], '$(touch gone)', '\\$\\(touch\\ gone\\)'],
  ])('inserts for %j what fits after the split', (given, pieces, candidate, expected) => {
    expect(replies(given, pieces, `lateen() { printf '%s\\tabout it\\n:4\\n' ${quoted(candidate)}; }`)).toEqual([
      expected,
    ]);
  });

  it.each<[string, string[], string[]]>([
    ['lateen repo get ', ['lateen', 'repo', 'get', ''], ['repo', 'get', '']],
    ['lateen x -o=', ['lateen', 'x', '-o', '='], ['x', '-o=']],
    ['lateen x --cacert=a:b c', ['lateen', 'x', '--cacert', '=', 'a', ':', 'b', 'c'], ['x', '--cacert=a:b', 'c']],
    ['lateen "a b" a\\ b ', ['lateen', '"a b"', 'a\\ b', ''], ['a b', 'a b', '']],
  ])('passes the words of %j', (line, pieces, words) => {
    const program = `lateen() { for word in "$@"; do echo "<$word>"; done; echo :4; }`;
    const asWritten = (word: string) => `\\<${word.replaceAll(' ', '\\ ')}\\>`;
    expect(replies(line, pieces, program)).toEqual(['__complete', ...words].map(asWritten));
  });

  it('uses the line up to the cursor', () => {
    const script = `${completionScript('bash')}lateen() { echo "$*"; }
COMP_LINE='lateen repo check more' COMP_POINT=14 COMP_WORDS=(lateen repo check more) COMP_CWORD=2; _lateen; echo "$COMPREPLY"`;
    expect(run('bash', script).trim()).toBe('__complete\\ repo\\ ch');
  });

  it('offers files when the program says so, and nothing when the program is missing', () => {
    const files = 'lateen() { echo :0; }';
    expect(replies('lateen install --cacert ca', ['lateen', 'install', '--cacert', 'ca'], files)).toEqual([
      'ca file.pem',
    ]);
    const gone = 'lateen() { echo oh no >&2; return 127; }';
    expect(replies('lateen vol', ['lateen', 'vol'], gone)).toEqual(['']);
  });
});

describe.skipIf(!has('fish'))('completion in fish', () => {
  it(
    'asks the program',
    () => {
      const offered = run(
        'fish',
        `${completionScript('fish')}complete -C 'lateen repo ch'; complete -C 'lateen --context adm'`,
      );
      expect(offered).toMatch(/^check\t.+\nchange-password\t.+\nadmin@kind:1\n$/);
    },
    startMsMax,
  );
});

describe.skipIf(!has('zsh'))('completion in zsh', () => {
  it('is a valid zsh script', () => {
    const { status, stderr } = spawnSync('zsh', ['-n'], { input: completionScript('zsh'), encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('lateen completion', () => {
  const completion = (...words: string[]) => {
    const clock = new FakeClock();
    return runForTests({ clock, random: seededRandom(), kube: fakeCluster({ clock }) }, ['completion', ...words]);
  };
  it.each(['bash', 'zsh', 'fish'] as const)('prints the script for %s', async (shell) => {
    expect(await completion(shell)).toEqual({
      code: 0,
      stdout: completionScript(shell),
      stderr: '',
      asked: [],
      connected: false,
    });
  });
  it('rejects other shells by name', async () => {
    expect((await completion('tcsh')).stderr).toContain('there is no completion for "tcsh"');
  });
});
